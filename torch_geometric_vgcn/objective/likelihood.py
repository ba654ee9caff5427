import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.functional import log_softmax

from torch_geometric_vgcn.checks import check_positive, check_tensor
from torch_geometric_vgcn.kernels.device import on_host


class Categorical(Module):
    r"""The classification likelihood
    :math:`p(y_n \mid \mathbf{X}, \mathbf{A}) = \mathrm{Cat}(y_n \mid
    \mathrm{softmax}(\mathbf{f}_n))` of a network's outputs
    :math:`\mathbf{f}`.
    """

    temperature: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer('temperature', torch.ones(()))

    def set_temperature(self, temperature: float) -> None:
        r"""Sets the temperature of predictions. Training ignores it."""
        number = check_positive(temperature, 'temperature')
        limit = torch.finfo(self.temperature.dtype)
        self.temperature.fill_(min(max(number, limit.tiny), limit.max))

    def log_prob(self, out: Tensor, y: Tensor) -> Tensor:
        r"""The log-likelihood of the classes :obj:`y`, for outputs of shape
        :obj:`[..., n, C]`: of shape :obj:`[..., n]`.
        """
        check_outputs(out)
        check_tensor(y, '[n]', 'y')
        if y.dtype != torch.int64 or y.shape != out.shape[-2:-1]:
            raise ValueError(
                f"'y' must hold int64 classes of shape {[out.size(-2)]}, got "
                f'{y.dtype} of shape {list(y.shape)}'
            )
        # Elsewhere a step would wait for it, and the device checks by itself:
        if on_host(y) and y.numel() > 0:
            low, high = int(y.min()), int(y.max())
            if low < 0 or high >= out.size(-1):
                raise ValueError(
                    f"'y' must hold classes in [0, {out.size(-1) - 1}], got "
                    f'{low} to {high}'
                )
        index = y.unsqueeze(-1).expand(*out.shape[:-1], 1)
        return log_softmax(out, dim=-1).gather(-1, index).squeeze(-1)

    def mean(self, out: Tensor) -> Tensor:
        r"""What is to be averaged over graphs: the class probabilities, not
        the outputs.
        """
        check_outputs(out)
        return out.softmax(dim=-1)

    def calibrated(self, prob: Tensor) -> Tensor:
        r"""Averaged class probabilities at the temperature of predictions,
        :math:`p'_c \propto p_c^{1/T}`.
        """
        tiny = torch.finfo(prob.dtype).tiny
        temperature = self.temperature.to(prob).clamp(min=tiny)
        log_prob = prob.clamp(min=tiny).log() / temperature
        return torch.where(
            self.temperature == 1, prob, log_prob.softmax(dim=-1)
        )


def check_outputs(out: Tensor) -> None:
    r"""Expects the outputs of a network for at least one class."""
    shape = '[..., n, C]'
    check_tensor(out, shape, 'out')
    if out.dim() < 2 or out.size(-1) < 1 or not out.is_floating_point():
        raise ValueError(
            f"'out' must hold floating-point outputs of shape {shape}, got "
            f'{out.dtype} of shape {list(out.shape)}'
        )
