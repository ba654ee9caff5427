import math
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch_geometric.utils import scatter

from torch_geometric_vgcn.utils import find, floor, wide

ADD = (Tensor.scatter_add_, Tensor.scatter_add, torch.scatter_add)
ADD_ROWS = (Tensor.index_add_, Tensor.index_add, torch.index_add)
REDUCE = (Tensor.scatter_reduce_, Tensor.scatter_reduce, torch.scatter_reduce)


class EdgeWeights(TorchFunctionMode):
    r"""Inside a :obj:`with` block, and in this thread only, each scatter over
    edges counts an edge by its weight

    .. math::
        \mathrm{sum}: \sum_e w_e x_e, \quad
        \mathrm{mean}: \frac{\sum_e w_e x_e}{\sum_e w_e}, \quad
        \mathrm{prod}: \prod_e (1 + w_e (x_e - 1)), \quad
        \mathrm{softmax}: \frac{\exp(s_e)}{\sum_f w_f \exp(s_f)},

    and for the maximum and minimum :func:`expected_max`. With weights in
    :math:`\{0, 1\}` each is what the plain operation is on the edges of
    weight one. Self-loops, which convs add, have weight one.

    A scatter is over edges if its index holds the sources or the targets of a
    list of edges: the given one, or one that was made from it since. All
    others, such as sums over nodes, are left as they are.

    Args:
        edge_index (Tensor): The edges, none of them a self-loop.
        weight (Tensor): Their weights.
        num_nodes (int): The number of nodes.
    """

    def __init__(
        self, edge_index: Tensor, weight: Tensor, num_nodes: int
    ) -> None:
        super().__init__()
        self.num_nodes = num_nodes
        self.weight = weight
        self.edge_index = edge_index
        # Each list of edges, with the weights once they are asked for:
        self.lists: list[tuple[Tensor, list[Tensor | None]]] = [
            (edge_index, [weight])
        ]
        self.detached: list[Tensor] = []
        # The largest terms of softmaxes, of nodes, beside all terms:
        self.tops: list[tuple[Tensor, Tensor]] = []
        self.degrees: list[Tensor] = []

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in ADD or func in ADD_ROWS or func in REDUCE:
            return self._scatter(func, *args, **kwargs)
        if func is Tensor.clamp and self._is_degree(args[0]):
            # Of a mean, which divides by one where there is no edge:
            if args[1:] == () and kwargs == {'min': 1}:
                some = args[0] > floor(args[0].dtype)
                return torch.where(some, args[0], 1.0)
        out = func(*args, **kwargs)
        if func is Tensor.index_select:
            for top, term in self.tops:
                if args[0] is top:
                    # Or an edge of no weight, far above, would be infinite:
                    most = -math.log(floor(term.dtype))
                    return torch.maximum(out, term - most)
        if _is_list_of_edges(out):
            self.lists.append((out, []))
        elif func is Tensor.detach:
            self.detached.append(out)
        return out

    def _scatter(
        self,
        func: Any,
        out: Tensor,
        dim: int,
        index: Tensor,
        src: Any,
        reduce: str = 'sum',
        **kwargs: Any,
    ) -> Tensor:
        options = {'reduce': reduce, **kwargs} if func in REDUCE else kwargs
        weight = self.weight_of(index, dim)
        if weight is None or not isinstance(src, Tensor):
            return func(out, dim, index, src, **options)
        dim = dim % src.dim()
        w = weight.view([-1 if d == dim else 1 for d in range(src.dim())])
        least = floor(w.dtype)
        if reduce == 'sum':
            if not src.is_floating_point():  # a choice among whole numbers
                zero = torch.zeros_like(out, dtype=w.dtype)
                total = func(zero, dim, index, w * src, **options)
                return out.add_(total.round().to(out.dtype))
            out = func(out, dim, index, (w * src).to(src.dtype), **options)
            if out.dim() == 1:
                # A degree. Where next to nothing is left it is set to zero:
                # convs that divide by it or take a root would have an
                # infinite gradient.
                out = out.copy_(torch.where(out.abs() > least, out, 0.0))
                self.degrees.append(out)
            return out
        if reduce == 'prod':
            return func(out, dim, index, 1 + w * (src - 1), **options)
        if reduce == 'amax' and any(src is one for one in self.detached):
            # The largest term of a softmax becomes one. Terms of next to no
            # weight don't count, and may be far larger:
            term = src + w.detach().clamp(min=least).log()
            term = term.masked_fill(w <= least, -torch.inf)
            top = func(out, dim, index, term, **options)
            top = torch.where(top == -torch.inf, torch.inf, top)
            self.tops.append((top, src))
            return top
        if reduce not in ('amax', 'amin'):
            raise ValueError(
                f"edges can have no weights in the reduction '{reduce}'"
            )
        if index.dim() > 1:
            index = index.movedim(dim, -1).reshape(-1, src.size(dim))[0]
        sign = 1 if reduce == 'amax' else -1
        return sign * expected_max(
            sign * src, weight, index, dim, out.size(dim)
        )

    def weight_of(self, index: Tensor, dim: int) -> Tensor | None:
        r"""The weights of the edges that a scatter is over, if it is."""
        if index.dim() > 1:
            index = index.movedim(dim, -1)
            index = index[(0,) * (index.dim() - 1)]
        found: list[Tensor] = []
        for edge_index, known in self.lists:
            if any(_same(index, row) for row in edge_index):
                if not known:
                    known.append(self._look_up(edge_index))
                if known[0] is not None:
                    found.append(known[0])
        if any(not torch.equal(weight, found[0]) for weight in found[1:]):
            raise ValueError(
                'a conv sums over edges in a way that does not tell which '
                f'edges they are ({index.numel()} terms, '
                f'{self.weight.numel()} edges, {self.num_nodes} nodes)'
            )
        return found[0] if found else None

    def _look_up(self, edge_index: Tensor) -> Tensor | None:
        r"""The weights of a list of edges, if all are edges of the graph."""
        count = self.weight.numel()
        rest = edge_index[:, count:]
        if torch.equal(edge_index[:, :count], self.edge_index) and (
            torch.equal(rest[0], rest[1])
        ):  # with self-loops behind
            ones = self.weight.new_ones(rest.size(1))
            return torch.cat([self.weight, ones])
        key, order = self._sorted
        wanted = edge_index[0] * self.num_nodes + edge_index[1]
        place, there = find(key, wanted)
        if not bool((there | (edge_index[0] == edge_index[1])).all()):
            return None
        if count == 0:
            return self.weight.new_ones(wanted.numel())
        return torch.where(there, self.weight[order[place]], 1.0)

    @cached_property
    def _sorted(self) -> tuple[Tensor, Tensor]:
        source, target = self.edge_index
        key, order = (source * self.num_nodes + target).sort()
        return key, order

    def _is_degree(self, value: Any) -> bool:
        return any(value is degree for degree in self.degrees)


def _is_list_of_edges(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and value.dim() == 2
        and value.size(0) == 2
        and value.dtype == torch.long
        and value.layout == torch.strided
    )


def _same(one: Tensor, other: Tensor) -> bool:
    r"""Whether two indices hold the same numbers, at once if they are the
    same memory.
    """
    if one.shape != other.shape:
        return False
    if one.data_ptr() == other.data_ptr() and one.stride() == other.stride():
        return True
    return torch.equal(one, other)


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
