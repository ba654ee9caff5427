from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import (
    Aggregation,
    MessagePassing,
    MultiAggregation,
)
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import get_laplacian, loop

from torch_geometric_vgcn.message_passing.gate import Gate

# What convs call that sums over edges in turn, callees before callers.
CALLERS = (
    loop.compute_loop_attr,
    loop.add_self_loops,
    loop.add_remaining_self_loops,
    gcn_norm,
    get_laplacian,
)


class GatedMethods:
    r"""Methods of convs and aggregations that count edges by their weights.

    Args:
        gate (Gate): The weights.
    """

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self._functions = self.functions()

    def functions(self) -> dict[str, Callable[..., Any]]:
        r"""The weighted versions, by the names that convs know them by."""
        named: dict[str, Callable[..., Any]] = {
            'scatter': self.gate.scatter,
            'softmax': self.gate.softmax,
            'degree': self.gate.degree,
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
                self.gate.see(out[0])
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
        return self.gate.scatter(
            x, index, dim, dim_size, reduce, of_nodes=True
        )

    def _along(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(edge_index: Tensor, *args: Any, **kwargs: Any) -> Any:
            with self.gate.along(edge_index):
                return method(edge_index, *args, **kwargs)

        return call

    def _called(self, forward: Callable[..., Any]) -> Callable[..., Any]:
        r"""A conv's forward, with the edges that it is called with noted."""

        def call(*args: Any, **kwargs: Any) -> Any:
            for value in (*args, *kwargs.values()):
                if _is_edge_index(value):
                    self.gate.see(value)
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
