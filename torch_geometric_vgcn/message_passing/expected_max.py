import torch
from torch import Tensor
from torch_geometric.utils import scatter

from torch_geometric_vgcn.utils import wide


def expected_max(
    src: Tensor,
    weight: Tensor,
    index: Tensor,
    dim: int = 0,
    dim_size: int | None = None,
) -> Tensor:
    r"""The expected maximum over a node's edges if each is there with the
    probability of its weight, and zero if none is

    .. math::
        \sum_k w_{(k)} \, x_{(k)} \prod_{l < k} (1 - w_{(l)}), \quad
        x_{(1)} \geq x_{(2)} \geq \ldots

    It is the maximum itself for weights in :math:`\{0, 1\}`, linear in each
    weight, and gives a gradient to all of them.
    """
    dim_size = int(index.max()) + 1 if dim_size is None else dim_size
    if index.numel() == 0:
        return scatter(src, index, dim, dim_size, 'max')
    rest = src.movedim(dim, -1)
    value = rest.reshape(-1, rest.size(-1))  # one row per channel
    # Sorted by target, then by value, the largest first. One number holds
    # both, so that one sort will do:
    low, high = value.detach().aminmax()
    precise = wide(value.device)
    span = 2 * (high - low).to(precise) + 1
    order = (index * span - value.detach().to(precise)).argsort(dim=-1)
    index = index.sort().values
    value, w = value.gather(-1, order), weight[order]
    # Precise, as the sum runs over all nodes:
    most = 1 - 4 * torch.finfo(precise).eps
    absent = torch.log1p(-w.to(precise).clamp(max=most))
    before = absent.cumsum(dim=-1) - absent
    count = scatter(torch.ones_like(index), index, 0, dim_size, 'sum')
    first = (count.cumsum(0) - count)[index]
    reached = (before - before[:, first]).exp().to(value.dtype)
    out = scatter(value * w * reached, index, -1, dim_size, 'sum')
    return out.view(*rest.shape[:-1], dim_size).movedim(-1, dim)
