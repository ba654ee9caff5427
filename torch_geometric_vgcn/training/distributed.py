import torch
from torch.nn import Module


def distributed(learner: Module, left_out: list[str]) -> Module:
    r"""The learner with the mean of the gradients of all processes, except
    for some parameters and buffers.
    """
    ddp = torch.nn.parallel.DistributedDataParallel
    # The way that PyTorch's own libraries leave parameters out:
    ddp._set_params_and_buffers_to_ignore_for_model(learner, left_out)
    try:
        return ddp(learner)
    finally:
        del learner._ddp_params_and_buffers_to_ignore
