import math
from typing import Any

from scipy.optimize import minimize_scalar
from torch import Tensor

from torch_geometric_vgcn.objective import Categorical, Likelihood
from torch_geometric_vgcn.utils import check_kind

LIMIT = math.log(20)  # temperatures between 1/20 and 20
DEVIATION = 0.5  # of the prior of log T


def best_temperature(
    prob: Any,
    y: Tensor,
    mask: Tensor,
    likelihood: Likelihood | None = None,
) -> float:
    r"""The temperature :math:`T` with which the labels :obj:`y` are most
    likely if :math:`p' \propto p^{1/T}`: temperature scaling of the `"On
    Calibration of Modern Neural Networks" <https://arxiv.org/abs/1706.04599>`_
    paper. A log-normal prior of the temperature (standard deviation one half)
    keeps it near one where there are few labels.

    Args:
        prob (Any): The class probabilities, of shape :obj:`[N, C]`, or
            whatever else the likelihood predicts.
        y (Tensor): The labels, such as classes of shape :obj:`[N]`.
        mask (Tensor): The nodes to look at, as a mask or as indices: those of
            the validation set, as the network is too sure of its training
            nodes.
        likelihood (Likelihood, optional): The likelihood of the labels.
            (default: :obj:`Categorical()`)
    """
    if likelihood is None:
        likelihood = Categorical()
    check_kind(likelihood, Likelihood, 'likelihood')
    log_likelihood = likelihood.tempered(prob, y, mask)

    def loss(log_temperature: float) -> float:
        penalty = (log_temperature / DEVIATION) ** 2 / 2
        return penalty - log_likelihood(math.exp(log_temperature))

    best = minimize_scalar(loss, bounds=(-LIMIT, LIMIT), method='bounded')
    return math.exp(best.x)
