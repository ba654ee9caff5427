r"""The graph Gaussian process, on GPyTorch."""

import math
from math import comb

import numpy as np
import torch
from gpytorch.distributions import (
    MultitaskMultivariateNormal,
    MultivariateNormal,
)
from gpytorch.kernels import PolynomialKernel
from gpytorch.likelihoods import Likelihood
from gpytorch.means import ZeroMean
from gpytorch.mlls import VariationalELBO
from gpytorch.models import ApproximateGP
from gpytorch.variational import (
    CholeskyVariationalDistribution,
    IndependentMultitaskVariationalStrategy,
    VariationalStrategy,
)
from numpy.polynomial.hermite_e import hermegauss
from scipy.sparse import csr_array, eye_array
from torch import Size, Tensor
from torch.distributions import Categorical
from torch.nn.functional import one_hot
from torch_geometric.utils import to_scipy_sparse_matrix


class GraphPolynomial(PolynomialKernel):
    r"""The covariance of :math:`h_n`, the average of a Gaussian process
    :math:`f` over node :math:`n` and its neighbours,

    .. math::
        \mathbf{P} \mathbf{K} \mathbf{P}^{\top}, \quad
        \mathbf{P} = (\mathbf{D} + \mathbf{I})^{-1} (\mathbf{A} + \mathbf{I}),
        \quad K_{ij} = (\mathbf{x}_i^{\top} \mathbf{x}_j + c)^p,

    where only the offset :math:`c` is learned. It takes node ids, of shape
    :obj:`[n, 1]`, instead of features.

    By the binomial theorem it is :math:`\sum_d \binom{p}{d} c^{p-d}\,
    \mathbf{P} (\mathbf{X} \mathbf{X}^{\top})^{\circ d} \mathbf{P}^{\top}`:
    the graph and the features enter through averages that don't change while
    :math:`c` is learned. They are computed once, between all nodes and those
    in :obj:`nodes`; a matrix of all pairs is never stored.

    Args:
        x (scipy.sparse.csr_array): The features.
        edge_index (Tensor): The graph, both directions, without self-loops.
        nodes (Tensor): The nodes whose covariance with all others is needed.
        power (int, optional): The degree :math:`p`. (default: :obj:`3`)
    """

    def __init__(
        self, x: csr_array, edge_index: Tensor, nodes: Tensor, power: int = 3
    ) -> None:
        super().__init__(power=power)
        self.num_nodes = num_nodes = x.shape[0]
        adj = csr_array(to_scipy_sparse_matrix(edge_index, None, num_nodes))
        closed = adj.astype(float) + eye_array(num_nodes)
        mean = csr_array(closed / closed.sum(axis=1)[:, None])
        cross, variance = _averages(x, mean, nodes.numpy(), power)
        self.register_buffer('cross', torch.from_numpy(cross))
        self.register_buffer('variance', torch.from_numpy(variance))
        column = torch.full((num_nodes,), -1)
        column[nodes] = torch.arange(nodes.numel())
        self.register_buffer('column', column)

    def forward(
        self, x1: Tensor, x2: Tensor, diag: bool = False, **kwargs: object
    ) -> Tensor:
        i, j = x1.squeeze(-1).long(), x2.squeeze(-1).long()
        column = self.column[i]
        if diag:
            moments = self.variance[:, i]
        elif (column >= 0).all():
            moments = self.cross[:, j, column.unsqueeze(-1)]
        elif (self.column[j] >= 0).all():
            return self.forward(x2, x1).mT
        else:
            raise ValueError(
                "one of 'x1' and 'x2' must have nodes of 'nodes' only, as the "
                'covariance of all pairs is not kept'
            )
        power = int(self.power)
        offset = self.offset.squeeze()
        weight = [
            comb(power, d) * offset ** (power - d) for d in range(power + 1)
        ]
        return torch.tensordot(torch.stack(weight), moments, dims=1)


def _averages(
    x: csr_array, mean: csr_array, nodes: np.ndarray, power: int
) -> tuple[np.ndarray, np.ndarray]:
    r"""The averaged powers of the scalar products, from 0 to :obj:`power`: of
    all nodes with :obj:`nodes`, and of each node with itself.
    """
    num_nodes = x.shape[0]
    cross = np.zeros((power + 1, num_nodes, len(nodes)))
    variance = np.zeros((power + 1, num_nodes))
    cross[0], variance[0] = 1, 1
    some = mean[nodes]
    for block in np.array_split(np.arange(num_nodes), num_nodes // 256 + 1):
        product = x @ x[block].T.toarray()
        term = product
        for d in range(1, power + 1):
            average = mean @ term
            cross[d] += average @ some[:, block].T
            variance[d] += mean[:, block].multiply(average).sum(axis=1)
            term = term * product
    return cross, variance


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


class GraphGP(ApproximateGP):
    r"""One Gaussian process per class, with the same kernel, and a Gaussian
    posterior of their values at some nodes, which determine those at all
    other nodes.

    Args:
        kernel (GraphPolynomial): The kernel.
        likelihood (RobustMax): The likelihood.
        nodes (Tensor): These nodes: those with a label.
    """

    def __init__(
        self, kernel: GraphPolynomial, likelihood: RobustMax, nodes: Tensor
    ) -> None:
        num_classes, num_labels = likelihood.num_classes, nodes.numel()
        # No batch dimension: the classes share one Cholesky factor.
        strategy = VariationalStrategy(
            self,
            nodes.unsqueeze(-1).float(),
            CholeskyVariationalDistribution(num_labels, Size([num_classes])),
            learn_inducing_locations=False,
        )
        super().__init__(
            IndependentMultitaskVariationalStrategy(strategy, num_classes)
        )
        self.mean = ZeroMean()
        self.kernel = kernel
        self.likelihood = likelihood
        self.register_buffer('nodes', nodes.unsqueeze(-1).float())

    def forward(self, x: Tensor) -> MultivariateNormal:
        return MultivariateNormal(self.mean(x), self.kernel(x))

    def bound(self, y: Tensor) -> Tensor:
        r"""The evidence lower bound of the labels :obj:`y`, per label."""
        self.train()
        elbo = VariationalELBO(self.likelihood, self, y.numel())
        return elbo(self(self.nodes), y)

    @torch.no_grad()
    def predict(self) -> Tensor:
        r"""The class probabilities of all nodes, :obj:`[N, C]`."""
        self.eval()
        everyone = torch.arange(self.kernel.num_nodes).to(self.nodes)
        return self.likelihood(self(everyone.unsqueeze(-1))).probs
