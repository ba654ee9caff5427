from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
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
from torch_geometric_vgcn.message_passing.base import overridden
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
    r"""The weights of a graph's edges, for whichever of them a conv asks.

    Args:
        edge_index (Tensor): The edges, none of them a self-loop.
        weight (Tensor): Their weights.
        num_nodes (int): The number of nodes.
    """

    def __init__(
        self, edge_index: Tensor, weight: Tensor, num_nodes: int
    ) -> None:
        self.edge_index = edge_index
        self.num_nodes = num_nodes
        ones = weight.new_ones(num_nodes)
        with_loops = torch.cat([weight, ones])
        # Convs append the loops that they add, one a node.
        self.by_size = {
            weight.numel(): weight,
            with_loops.numel(): with_loops,
        }

    @contextmanager
    def over(self, edge_index: Tensor) -> Iterator[None]:
        r"""Sets the weights to those of the edges that a conv passes messages
        along, by identity.
        """
        size, count = edge_index.size(1), self.edge_index.size(1)
        kept = self.by_size
        same = size in kept and torch.equal(
            edge_index[:, :count], self.edge_index
        )
        if not same:
            self.by_size = {**kept, size: self._look_up(edge_index)}
        try:
            yield
        finally:
            self.by_size = kept

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
        weight = self.by_size[key.numel()][order[place]]
        return torch.where(found, weight, 1.0)

    def scatter(
        self,
        src: Tensor,
        index: Tensor,
        dim: int = 0,
        dim_size: int | None = None,
        reduce: str = 'sum',
    ) -> Tensor:
        weight = self.by_size.get(src.size(dim))
        if weight is None:  # not over edges
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
        weight = self.by_size.get(src.size(dim))
        if weight is None or index is None:
            return utils.softmax(src, index, ptr, num_nodes, dim)
        return weighted_softmax(src, weight, index, num_nodes, dim)

    def degree(
        self,
        index: Tensor,
        num_nodes: int | None = None,
        dtype: torch.dtype | None = None,
    ) -> Tensor:
        weight = self.by_size.get(index.numel())
        if weight is None:
            return utils.degree(index, num_nodes, dtype)
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
            named[function.__name__] = _with_globals(function, named)
        return named


def gated(conv: Module, gate: Gate) -> AbstractContextManager[None]:
    r"""Lets all convs and aggregations inside :obj:`conv` count edges by
    their weights for a while.
    """
    functions = gate.functions()
    return overridden(
        [
            (module, name, method)
            for module in conv.modules()
            if isinstance(module, (MessagePassing, Aggregation))
            for name, method in _methods(module, gate, functions).items()
        ]
    )


def _methods(
    module: Module, gate: Gate, functions: dict[str, Callable[..., Any]]
) -> dict[str, Any]:
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
        methods['reduce'] = _reduce(gate)
        if isinstance(module, MultiAggregation):
            methods['fused_aggr'] = None  # counts edges by itself
    else:
        for name in ('propagate', 'edge_updater'):
            methods[name] = _aligned(getattr(module, name), gate)
    return methods


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


def _aligned(method: Callable[..., Any], gate: Gate) -> Callable[..., Any]:
    def call(edge_index: Tensor, *args: Any, **kwargs: Any) -> Any:
        with gate.over(edge_index):
            return method(edge_index, *args, **kwargs)

    return call


def _reduce(gate: Gate) -> Callable[..., Tensor]:
    def reduce(
        x: Tensor,
        index: Tensor,
        ptr: Tensor | None = None,
        dim_size: int | None = None,
        dim: int = -2,
        reduce: str = 'sum',
    ) -> Tensor:
        return gate.scatter(x, index, dim, dim_size, reduce)

    return reduce
