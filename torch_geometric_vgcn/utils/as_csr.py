import numpy as np
import torch
from torch import Tensor

from torch_geometric_vgcn.utils.compressed_rows import kernels_work


def as_csr(x: Tensor, most: float) -> Tensor | None:
    r"""A dense matrix on the CPU in compressed rows, or :obj:`None` if it has
    more than :obj:`most` non-zeros or there are no kernels for such a matrix.
    """
    # First of all, as it takes PyTorch's warning about such matrices:
    if not kernels_work(x.device, x.dtype):
        return None
    # NumPy finds the non-zeros several times faster than to_sparse_csr does.
    mask = x.detach().numpy() != 0
    if np.count_nonzero(mask) > most:
        return None
    entry = torch.from_numpy(np.flatnonzero(mask))
    row = torch.arange(x.size(0) + 1) * x.size(1)
    index = torch.int if entry.numel() < 2**31 else torch.long
    return torch.sparse_csr_tensor(
        torch.searchsorted(entry, row).to(index),
        entry.remainder(x.size(1)).to(index),
        x.detach().take(entry),
        x.size(),
        check_invariants=False,
    )
