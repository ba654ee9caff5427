from collections.abc import Sequence

from torch import Tensor

from torch_geometric_vgcn.message_passing.matrix import MatrixRoute
from torch_geometric_vgcn.sample import GraphSample


class DenseMatrix(MatrixRoute):
    r"""Calls GCN-like convs with a dense symmetric matrix, one graph at a
    time: where nearly all pairs have some weight, as in the paper's model.
    """

    def adjacency(
        self, sample: GraphSample, which: Sequence[int]
    ) -> 'DenseProducts':
        return DenseProducts(sample.adjacency(which[0]))


class DenseProducts:
    r"""A dense matrix that knows products and row sums, and nothing else that
    a tensor of edges would.

    Args:
        matrix (Tensor): The matrix, of shape :obj:`[N, N]`.
    """

    def __init__(self, matrix: Tensor) -> None:
        self.matrix = matrix
        self.degree = matrix.sum(dim=-1, keepdim=True)

    def __matmul__(self, x: Tensor) -> Tensor:
        return self.matrix @ x
