import math

import torch
from scipy.optimize import minimize_scalar
from torch import Tensor

from torch_geometric_vgcn.checks import check_class_probs, check_labels

LIMIT = math.log(20)  # temperatures between 1/20 and 20
DEVIATION = 0.5  # of the prior of log T


def best_temperature(prob: Tensor, y: Tensor, mask: Tensor) -> float:
    r"""The temperature :math:`T` with which the classes :obj:`y` are most
    likely if :math:`p'_c \propto p_c^{1/T}`: temperature scaling of the `"On
    Calibration of Modern Neural Networks" <https://arxiv.org/abs/1706.04599>`_
    paper. A log-normal prior of the temperature (standard deviation one half)
    keeps it near one where there are few labels.

    Args:
        prob (Tensor): The class probabilities, of shape :obj:`[N, C]`.
        y (Tensor): The classes, of shape :obj:`[N]`.
        mask (Tensor): The nodes to look at, as a mask or as indices: those of
            the validation set, as the network is too sure of its training
            nodes.
    """
    check_class_probs(prob)
    check_labels(y, mask, prob.size(0), num_classes=prob.size(1))
    # What isn't zero is at least so large, as for Categorical.calibrated:
    tiny = torch.finfo(prob.dtype).tiny
    log_prob = prob[mask].detach().cpu().double().clamp(min=tiny).log()
    index = y[mask].cpu().unsqueeze(-1)

    def nll(log_temperature: float) -> float:
        scaled = (log_prob / math.exp(log_temperature)).log_softmax(dim=-1)
        penalty = (log_temperature / DEVIATION) ** 2 / 2
        return penalty - float(scaled.gather(-1, index).sum())

    best = minimize_scalar(nll, bounds=(-LIMIT, LIMIT), method='bounded')
    return math.exp(best.x)
