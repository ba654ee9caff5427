import torch
from torch import Tensor


class SymmetricPattern:
    r"""Where the entries of a symmetric sparse matrix stand, one weight for
    both of :math:`(i, j)` and :math:`(j, i)`, in compressed rows.

    Args:
        index (Tensor): The pairs :math:`i < j`, sorted, of shape
            :obj:`[2, P]`.
        num_nodes (int): The number of rows and columns.
    """

    def __init__(self, index: Tensor, num_nodes: int) -> None:
        num_pairs = max(1, index.size(1))
        row, col = torch.cat([index, index.flip(0)], dim=1)
        order = (row * num_nodes + col).argsort()
        count = torch.bincount(row, minlength=num_nodes)
        crow = torch.nn.functional.pad(count.cumsum(0), (1, 0))
        # The kernels work with 32 bits, and would copy wider indices:
        small = torch.int32 if col.numel() < 2**31 else torch.int64
        self.size = (num_nodes, num_nodes)
        self.crow, self.col = crow.to(small), col[order].to(small)
        self.pair = order % num_pairs  # the pair of each entry
        # The pairs alone, which are the upper triangle's rows:
        count = torch.bincount(index[0], minlength=num_nodes)
        upper_crow = torch.nn.functional.pad(count.cumsum(0), (1, 0))
        self.upper_crow = upper_crow.to(small)
        self.upper_col = index[1].to(small)

    def matrix(self, value: Tensor) -> Tensor:
        r"""The matrix whose entries are :obj:`value`, of shape
        :obj:`[2 * P]`.
        """
        return torch.sparse_csr_tensor(
            self.crow, self.col, value, self.size, check_invariants=False
        )

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        r"""The products :math:`\mathbf{l}_i^{\top} \mathbf{r}_j +
        \mathbf{l}_j^{\top} \mathbf{r}_i` of the pairs, of shape
        :obj:`[P]`.
        """
        upper = torch.sparse_csr_tensor(
            self.upper_crow,
            self.upper_col,
            left.new_zeros(self.upper_col.numel()),
            self.size,
            check_invariants=False,
        )
        row = torch.cat([left, right], dim=1)
        col = torch.cat([right, left], dim=1)
        product = torch.sparse.sampled_addmm(upper, row, col.t(), beta=0.0)
        return product.values()
