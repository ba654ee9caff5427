import torch
from torch import Tensor

from torch_geometric_vgcn.utils import check_kind
from torch_geometric_vgcn.utils.constraints import SHARE, checked


class SparseDropout(torch.nn.Dropout):
    r"""Dropout for node features that may be sparse, for use in a model before
    its first conv: their non-zeros are dropped, and they stay sparse.
    :func:`torch.nn.functional.dropout` refuses sparse tensors.

    Args:
        p (float, optional): The share to drop. (default: :obj:`0.5`)
    """

    @checked(p=SHARE)
    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p)

    def forward(self, x: Tensor) -> Tensor:
        check_kind(x, Tensor, 'x')
        if not x.is_floating_point():
            raise TypeError(f"'x' must be floating point, got {x.dtype}")
        if x.layout == torch.strided:
            return super().forward(x)
        if x.layout != torch.sparse_csr:
            x = x.to_sparse_csr()
        return with_values(x, super().forward(x.values()))


def with_values(x: Tensor, value: Tensor) -> Tensor:
    r"""The CSR matrix with other values at the same places."""
    return torch.sparse_csr_tensor(
        x.crow_indices(),
        x.col_indices(),
        value,
        x.shape,
        check_invariants=False,
    )
