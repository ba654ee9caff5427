import torch
from torch import Tensor


class SymmetricPattern:
    r"""Where the entries of a symmetric sparse matrix stand, one weight for
    both of :math:`(i, j)` and :math:`(j, i)`, in compressed rows.

    Args:
        index (Tensor): The pairs :math:`i < j`, of shape :obj:`[2, P]`.
        num_nodes (int): The number of rows and columns.
    """

    def __init__(self, index: Tensor, num_nodes: int) -> None:
        num_pairs = index.size(1)
        row, col = torch.cat([index, index.flip(0)], dim=1)
        order = (row * num_nodes + col).argsort()
        count = torch.bincount(row, minlength=num_nodes)
        crow = torch.nn.functional.pad(count.cumsum(0), (1, 0))
        # The kernels work with 32 bits, and would copy wider indices:
        small = torch.int32 if col.numel() < 2**31 else torch.int64
        self.size = (num_nodes, num_nodes)
        self.crow, self.col = crow.to(small), col[order].to(small)
        self.pair = order % num_pairs  # the pair of each entry
        # The two entries of each pair:
        place = torch.empty_like(order)
        place[order] = torch.arange(order.numel(), device=order.device)
        self.first, self.second = place[:num_pairs], place[num_pairs:]

    def matrix(self, value: Tensor) -> Tensor:
        r"""The CSR matrix with :obj:`value` as its entries."""
        return torch.sparse_csr_tensor(
            self.crow, self.col, value, self.size, check_invariants=False
        )
