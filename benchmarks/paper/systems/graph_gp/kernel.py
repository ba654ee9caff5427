from math import comb

import numpy as np
import torch
from gpytorch.kernels import PolynomialKernel
from scipy.sparse import csr_array, eye_array
from torch import Tensor
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
