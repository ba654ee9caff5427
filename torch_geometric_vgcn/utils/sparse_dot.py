import torch
from torch import Tensor

from torch_geometric_vgcn.utils.index import entries_of, find

#: How many entries are looked up at once.
CHUNK = 2**22


def sparse_dot(x: Tensor, index: Tensor) -> Tensor:
    r"""The inner products :math:`\mathbf{x}_i^{\top} \mathbf{x}_j` of some
    rows of a CSR matrix. It costs as much as their entries, however wide the
    matrix is.

    Args:
        x (Tensor): The matrix, of shape :obj:`[N, F]`.
        index (Tensor): The pairs of rows, of shape :obj:`[2, P]`.
    """
    pointer, column = x.crow_indices().long(), x.col_indices().long()
    count = pointer.diff()
    entry_row = torch.arange(x.size(0), device=x.device)
    key = entry_row.repeat_interleave(count) * x.size(1) + column
    key, order = key.sort()
    column, value = column[order], x.values()[order]
    out = value.new_zeros(index.size(1))
    most = max(1, int(count.max()) if count.numel() else 1)
    for place in torch.arange(index.size(1), device=x.device).split(
        max(1, CHUNK // most)
    ):
        row, col = index[:, place]
        entry, pair = entries_of(pointer, row)
        other, found = find(key, col[pair] * x.size(1) + column[entry])
        product = value[entry] * value[other] * found
        out.index_add_(0, place[pair], product)
    return out
