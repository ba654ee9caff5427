r"""Sums over edges, each edge counted with its weight.

With weights in :math:`\{0, 1\}` each gives what the plain operation gives on
the edges of weight one.
"""

import math

import torch
from torch import Tensor
from torch_geometric.utils import scatter

from torch_geometric_vgcn.kernels.precision import floor, wide


def weighted_scatter(
    src: Tensor,
    weight: Tensor,
    index: Tensor,
    dim: int = 0,
    dim_size: int | None = None,
    reduce: str = 'sum',
) -> Tensor:
    r"""The weighted version of :func:`torch_geometric.utils.scatter`

    .. math::
        \mathrm{sum}: \sum_e w_e x_e, \quad
        \mathrm{mean}: \frac{\sum_e w_e x_e}{\sum_e w_e}, \quad
        \mathrm{mul}: \prod_e (1 + w_e (x_e - 1)),

    and for the maximum and minimum :func:`expected_max`.
    """
    dim = src.dim() + dim if dim < 0 else dim
    size = [1] * src.dim()
    size[dim] = -1
    view = weight.view(size)
    if reduce in ('sum', 'add'):
        out = scatter(view * src, index, dim, dim_size, 'sum')
        if src.dim() > 1:
            return out
        # A degree. Where next to nothing is left it is set to zero: convs
        # that divide by it or take a root would have an infinite gradient.
        return torch.where(out.abs() > floor(out.dtype), out, 0.0)
    if reduce == 'mean':
        total = scatter(view * src, index, dim, dim_size, 'sum')
        count = scatter(weight, index, 0, total.size(dim), 'sum')
        some = count > floor(count.dtype)
        count = torch.where(some, count, 1.0)
        return torch.where(some.view(size), total / count.view(size), 0.0)
    if reduce in ('mul', 'any'):
        return scatter(1 + view * (src - 1), index, dim, dim_size, reduce)
    if reduce == 'max':
        return expected_max(src, weight, index, dim, dim_size)
    if reduce == 'min':
        return -expected_max(-src, weight, index, dim, dim_size)
    raise ValueError(f"no weighted version of the reduction '{reduce}'")


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


def weighted_softmax(
    src: Tensor,
    weight: Tensor,
    index: Tensor,
    num_nodes: int | None = None,
    dim: int = 0,
) -> Tensor:
    r"""Attention that, once each edge is counted with its weight, sums to one

    .. math::
        \alpha_e = \exp(s_e) / \sum_f w_f \exp(s_f).
    """
    size = [1] * src.dim()
    size[dim] = -1
    view = weight.view(size)
    least = floor(weight.dtype)
    # The largest term of each sum becomes one. Terms of next to no weight
    # don't count, and may be far larger:
    log_weight = view.detach().clamp(min=least).log()
    term = (src.detach() + log_weight).masked_fill(view <= least, -torch.inf)
    top = scatter(term, index, dim, num_nodes, 'max')
    some = top > -torch.inf
    top = torch.where(some, top, 0.0).index_select(dim, index)
    out = (src - top).clamp(max=-math.log(least)).exp()
    total = scatter(view * out, index, dim, num_nodes, 'sum')
    total = torch.where(some, total, 1.0).index_select(dim, index)
    return torch.where(some.index_select(dim, index), out / total, 0.0)
