import math

import torch
from gpytorch.distributions import MultitaskMultivariateNormal
from gpytorch.likelihoods import Likelihood
from numpy.polynomial.hermite_e import hermegauss
from torch import Tensor
from torch.distributions import Categorical
from torch.nn.functional import one_hot


class RobustMax(Likelihood):
    r"""The class is that of the largest of :math:`C` functions, except for an
    error that is spread evenly over all other classes,

    .. math::
        p(y \mid \mathbf{h}) = \begin{cases}
        1 - \epsilon & \text{if } y = \arg\max_c h_c \\
        \epsilon / (C - 1) & \text{otherwise.}
        \end{cases}

    Its expectations need only the probability of the largest,
    :math:`\int \mathcal{N}(h_y; m_y, s_y^2) \prod_{j \neq y} \Phi\left(
    (h_y - m_j) / s_j \right) dh_y`, computed by Gauss-Hermite quadrature.

    Args:
        num_classes (int): The number of classes :math:`C`.
        epsilon (float, optional): The share of errors.
            (default: :obj:`0.001`)
        num_points (int, optional): The number of points of the quadrature.
            (default: :obj:`20`)
    """

    def __init__(
        self, num_classes: int, epsilon: float = 1e-3, num_points: int = 20
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.hit = math.log1p(-epsilon)
        self.miss = math.log(epsilon / (num_classes - 1))
        points, weights = map(torch.from_numpy, hermegauss(num_points))
        self.register_buffer('points', points)
        self.register_buffer('weights', weights / weights.sum())

    def largest(self, mean: Tensor, var: Tensor, y: Tensor) -> Tensor:
        r"""The probability that function :obj:`y` is the largest, for means
        and variances of shape :obj:`[n, C]`.
        """
        std = var.sqrt()
        column = y.unsqueeze(-1)
        value = mean.gather(-1, column) + std.gather(-1, column) * self.points
        z = (value.unsqueeze(-1) - mean.unsqueeze(-2)) / std.unsqueeze(-2)
        itself = one_hot(y, self.num_classes).bool().unsqueeze(-2)
        below = torch.special.log_ndtr(z).masked_fill(itself, 0.0).sum(-1)
        return below.exp() @ self.weights

    def expected_log_prob(
        self, observations: Tensor, function_dist: MultitaskMultivariateNormal
    ) -> Tensor:
        mean, var = function_dist.mean, function_dist.variance
        prob = self.largest(mean, var, observations)
        return self.hit * prob + self.miss * (1 - prob)

    def forward(self, function_samples: Tensor) -> Categorical:
        largest = function_samples.argmax(dim=-1)
        return self._categorical(one_hot(largest, self.num_classes))

    def marginal(
        self, function_dist: MultitaskMultivariateNormal
    ) -> Categorical:
        mean, var = function_dist.mean, function_dist.variance
        classes = torch.arange(self.num_classes, device=mean.device)
        labels = classes.unsqueeze(-1).expand(-1, mean.size(0))
        prob = [self.largest(mean, var, y) for y in labels]
        return self._categorical(torch.stack(prob, dim=-1))

    def _categorical(self, largest: Tensor) -> Categorical:
        share = largest / largest.sum(dim=-1, keepdim=True)
        hit, miss = math.exp(self.hit), math.exp(self.miss)
        return Categorical(probs=hit * share + miss * (1 - share))
