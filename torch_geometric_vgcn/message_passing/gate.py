from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, MethodType
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric import utils
from torch_geometric.nn import (
    Aggregation,
    MessagePassing,
    MultiAggregation,
)
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import get_laplacian, loop

from torch_geometric_vgcn.kernels.index import find
from torch_geometric_vgcn.message_passing.weighted import (
    weighted_scatter,
    weighted_softmax,
)

# What convs call that sums over edges in turn, callees before callers.
CALLERS = (
    loop.compute_loop_attr,
    loop.add_self_loops,
    loop.add_remaining_self_loops,
    gcn_norm,
    get_laplacian,
)


class Gate:
    r"""The weights of a graph's edges, for any of them that a conv sums over.

    Edges are known by their nodes. The gate sees each list of edges that a
    conv is called with, or makes by adding self-loops, and looks up the
    weights of its edges. A sum belongs to the list whose sources or targets it
    is indexed by.

    Args:
        edge_index (Tensor): The edges, none of them a self-loop.
        weight (Tensor): Their weights.
        num_nodes (int): The number of nodes.
    """

    def __init__(
        self, edge_index: Tensor, weight: Tensor, num_nodes: int
    ) -> None:
        self.edge_index = edge_index
        self.weight = weight
        self.num_nodes = num_nodes
        self._lists = [(edge_index, weight)]
        self._current: tuple[Tensor, Tensor] | None = None
        self._functions = self.functions()

    def see(self, edge_index: Any) -> Any:
        r"""Takes note of a list of edges. Returns the list."""
        if isinstance(edge_index, Tensor) and (
            edge_index.layout == torch.strided
        ):
            self._list_of(edge_index)
        return edge_index

    def _list_of(self, edge_index: Tensor) -> tuple[Tensor, Tensor]:
        for known in self._lists:
            if _same(known[0], edge_index):
                return known
        count = self.edge_index.size(1)
        rest = edge_index[:, count:]
        if torch.equal(edge_index[:, :count], self.edge_index) and (
            torch.equal(rest[0], rest[1])
        ):  # with self-loops behind
            ones = self.weight.new_ones(rest.size(1))
            weight = torch.cat([self.weight, ones])
        else:
            weight = self._look_up(edge_index)
        self._lists.append((edge_index, weight))
        return self._lists[-1]

    def _look_up(self, edge_index: Tensor) -> Tensor:
        key = self.edge_index[0] * self.num_nodes + self.edge_index[1]
        key, order = key.sort()
        wanted = edge_index[0] * self.num_nodes + edge_index[1]
        place, found = find(key, wanted)
        if not bool((found | (edge_index[0] == edge_index[1])).all()):
            raise ValueError(
                'a conv passes messages along edges that the sampled graph '
                "doesn't have: it must not make edges of its own"
            )
        if key.numel() == 0:
            return self.weight.new_ones(wanted.numel())
        return torch.where(found, self.weight[order[place]], 1.0)

    @contextmanager
    def along(self, edge_index: Tensor) -> Iterator[None]:
        r"""While messages are passed along some edges, all sums are over
        them.
        """
        if not isinstance(edge_index, Tensor) or (
            edge_index.layout != torch.strided
        ):
            raise ValueError(
                'a conv passes messages along a sparse matrix, expected an '
                "'edge_index' of shape [2, E]"
            )
        before, self._current = self._current, self._list_of(edge_index)
        try:
            yield
        finally:
            self._current = before

    def weight_of(self, index: Tensor, of_nodes: bool) -> Tensor | None:
        r"""The weights of the edges that a sum is over, given what it is
        indexed by. Outside of message passing, sums may be over nodes.
        """
        known = self._lists if self._current is None else [self._current]
        found: list[Tensor] = []
        for edge_index, weight in known:
            if edge_index.size(1) == index.numel() and (
                _same(index, edge_index[0]) or _same(index, edge_index[1])
            ):
                found.append(weight)
        if not found and of_nodes and self._current is None:
            return None
        if not found or any(not torch.equal(w, found[0]) for w in found[1:]):
            raise ValueError(
                'a conv sums over edges in a way that does not tell which '
                f'edges they are ({index.numel()} terms, '
                f'{self.edge_index.size(1)} edges, {self.num_nodes} nodes)'
            )
        return found[0]

    def scatter(
        self,
        src: Tensor,
        index: Tensor,
        dim: int = 0,
        dim_size: int | None = None,
        reduce: str = 'sum',
        of_nodes: bool = False,
    ) -> Tensor:
        weight = self.weight_of(index, of_nodes)
        if weight is None:
            return utils.scatter(src, index, dim, dim_size, reduce)
        return weighted_scatter(src, weight, index, dim, dim_size, reduce)

    def softmax(
        self,
        src: Tensor,
        index: Tensor | None = None,
        ptr: Tensor | None = None,
        num_nodes: int | None = None,
        dim: int = 0,
    ) -> Tensor:
        if index is None:
            return utils.softmax(src, index, ptr, num_nodes, dim)
        weight = self.weight_of(index, of_nodes=True)
        if weight is None:
            return utils.softmax(src, index, ptr, num_nodes, dim)
        return weighted_softmax(src, weight, index, num_nodes, dim)

    def degree(
        self,
        index: Tensor,
        num_nodes: int | None = None,
        dtype: torch.dtype | None = None,
    ) -> Tensor:
        weight = self.weight_of(index, of_nodes=False)
        assert weight is not None
        degree = weighted_scatter(
            torch.ones_like(weight), weight, index, 0, num_nodes
        )
        if dtype is not None and not dtype.is_floating_point:
            degree = degree.round()  # a choice among whole numbers
        return degree.to(dtype or degree.dtype)

    def functions(self) -> dict[str, Callable[..., Any]]:
        r"""The weighted versions, by the names that convs know them by."""
        named: dict[str, Callable[..., Any]] = {
            'scatter': self.scatter,
            'softmax': self.softmax,
            'degree': self.degree,
        }
        for function in CALLERS:
            clone = _with_globals(function, named)
            named[function.__name__] = self._seeing(clone)
        return named

    def _seeing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        r"""The function, with the edges that it returns noted."""

        def call(*args: Any, **kwargs: Any) -> Any:
            out = function(*args, **kwargs)
            if isinstance(out, tuple):
                self.see(out[0])
            return out

        return call

    def changes(self, module: Module) -> dict[str, Any]:
        r"""The changes that let a conv or an aggregation count edges by their
        weights.
        """
        if not counts_edges(module):
            return {}
        functions = self._functions
        methods: dict[str, Any] = {}
        for cls in reversed(type(module).__mro__):
            if cls in (MessagePassing, Aggregation) or not issubclass(
                cls, (MessagePassing, Aggregation)
            ):
                continue
            for name, function in vars(cls).items():
                if isinstance(function, FunctionType):
                    methods.pop(name, None)
                    if functions.keys() & set(function.__code__.co_names):
                        clone = _with_globals(function, functions)
                        methods[name] = MethodType(clone, module)
        if isinstance(module, Aggregation):
            methods['reduce'] = self._reduce
            if isinstance(module, MultiAggregation):
                methods['fused_aggr'] = None  # counts edges by itself
            return methods
        for name in ('propagate', 'edge_updater'):
            methods[name] = self._along(getattr(module, name))
        methods['forward'] = self._called(
            methods.get('forward', module.forward)
        )
        return methods

    def _reduce(
        self,
        x: Tensor,
        index: Tensor,
        ptr: Tensor | None = None,
        dim_size: int | None = None,
        dim: int = -2,
        reduce: str = 'sum',
    ) -> Tensor:
        return self.scatter(x, index, dim, dim_size, reduce, of_nodes=True)

    def _along(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(edge_index: Tensor, *args: Any, **kwargs: Any) -> Any:
            with self.along(edge_index):
                return method(edge_index, *args, **kwargs)

        return call

    def _called(self, forward: Callable[..., Any]) -> Callable[..., Any]:
        r"""A conv's forward, with the edges that it is called with noted."""

        def call(*args: Any, **kwargs: Any) -> Any:
            for value in (*args, *kwargs.values()):
                if _is_edge_index(value):
                    self.see(value)
            return forward(*args, **kwargs)

        return call


def counts_edges(module: Module) -> bool:
    return isinstance(module, (MessagePassing, Aggregation))


def _is_edge_index(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and value.dim() == 2
        and value.size(0) == 2
        and value.dtype == torch.long
    )


def _same(one: Tensor, other: Tensor) -> bool:
    r"""Whether two tensors hold the same numbers, at once if they are the
    same memory.
    """
    if one.shape != other.shape:
        return False
    if one.data_ptr() == other.data_ptr() and one.stride() == other.stride():
        return True
    return torch.equal(one, other)


def _with_globals(
    function: FunctionType, names: dict[str, Callable[..., Any]]
) -> FunctionType:
    r"""The same function, for which some global names mean something else."""
    clone = FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    clone.__kwdefaults__ = function.__kwdefaults__
    return clone
