import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import (
    HANConv,
    HGTConv,
    MessagePassing,
    RGATConv,
    RGCNConv,
)

from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.utils import check_features, check_kind

# Further arguments of a conv, given the edges that it is called with.
Attributes = Callable[[Tensor], dict[str, Any]]

# They take two arguments, but can't do without the types of edges or nodes:
TYPED = (HANConv, HGTConv, RGATConv, RGCNConv)


def no_attributes(edge_index: Tensor) -> dict[str, Any]:
    r"""The attributes of a graph whose edges have none."""
    return {}


class Route(ABC):
    r"""A way to pass a sampled graph to a conv or model, such that weights in
    :math:`\{0, 1\}` give exactly what deleting the edges gives.

    Args:
        conv (torch.nn.Module): The conv or model.
    """

    # Whether edges are really deleted, so that there is nothing to prove:
    deletes: ClassVar[bool] = False
    # Whether it can be part of a compiled graph:
    compiles: ClassVar[bool] = True

    def __init__(self, conv: Module) -> None:
        check_kind(conv, Module, 'conv')
        reason = self.refuses(conv)
        if reason is not None:
            raise TypeError(reason)
        check_conv(conv)

    @staticmethod
    def refuses(conv: Module) -> str | None:
        r"""Why :obj:`conv` can't take this route, or :obj:`None`."""
        name, convs = type(conv).__name__, message_passing_modules(conv)
        if len(convs) == 0:
            return f"'conv' ({name}) contains no PyG message passing layer"
        for module in convs:
            if getattr(module, 'cached', False):
                return (
                    f"'conv' ({name}) contains {type(module).__name__}"
                    '(cached=True), which would ignore all graphs but the '
                    'first'
                )
        return None

    def fits(
        self, conv: Module, x: Tensor, sample: GraphSample, attributes: bool
    ) -> bool:
        r"""Whether this route can carry such a sample at all: features of
        this type and on this device, and edges with attributes or without.
        """
        return True

    def batches(self, conv: Module) -> bool:
        r"""Whether all sampled graphs go through the conv in one call."""
        return False

    def unchanged(self, x: Tensor) -> AbstractContextManager[None]:
        r"""Promises that :obj:`x` isn't changed inside."""
        return nullcontext()

    @abstractmethod
    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> Tensor:
        r"""Calls the conv on the :obj:`s`-th graph."""

    def __call__(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes = no_attributes,
    ) -> Tensor:
        r"""Calls the conv on each sampled graph, with features
        :obj:`[N, F]`, or :obj:`[S, N, F]` for each its own. Stacks the outputs
        if there are several.
        """
        check_call(conv, x, sample)
        outs = []
        for s in range(len(sample)):
            own = x[s] if x.dim() > 2 else x
            out = self.carry(conv, own, sample, s, attributes)
            outs.append(check_output(conv, out))
        return outs[0] if len(outs) == 1 else torch.stack(outs)

    def __repr__(self) -> str:
        return f'{type(self).__name__}()'


def check_conv(conv: Any) -> None:
    r"""Expects a module that can be called with features and a graph."""
    check_kind(conv, Module, 'conv')
    name = type(conv).__name__
    if isinstance(conv, TYPED):
        raise TypeError(
            f"'conv' ({name}) needs types of nodes or edges, which a graph "
            'without types has not: wrap it in a module with a forward(x, '
            'edge_index) that passes them on'
        )
    try:
        signature = inspect.signature(conv.forward)
    except (TypeError, ValueError):  # of a compiled module
        return
    names = list(signature.parameters)
    try:
        signature.bind_partial(None, None)
    except TypeError:
        hint = ''
        if isinstance(conv, torch.nn.Sequential):
            hint = (
                ": use torch_geometric.nn.Sequential('x, edge_index', "
                "[(conv, 'x, edge_index -> x'), ...])"
            )
        raise TypeError(
            f"'conv' ({name}) must have a forward(x, edge_index), got "
            f'forward({", ".join(names)}){hint}'
        ) from None
    needed = [
        parameter.name
        for parameter in list(signature.parameters.values())[2:]
        if parameter.default is parameter.empty
        and parameter.kind
        not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and parameter.name != 'edge_attr'  # that of the prior
    ]
    if needed:
        raise TypeError(
            f"'conv' ({name}) must have a forward(x, edge_index), got one "
            f'that also needs {" and ".join(needed)}: give defaults to them, '
            'or wrap it in a module that passes them on'
        )


def check_call(conv: Module, x: Tensor, sample: GraphSample) -> None:
    r"""Expects a conv, features of all nodes and sampled graphs."""
    check_kind(conv, Module, 'conv')
    check_kind(sample, GraphSample, 'sample')
    check_features(x, sample.prior.num_nodes, values=False)
    if x.dim() > 3 or (x.dim() == 3 and x.size(0) != len(sample)):
        raise ValueError(
            f"'x' must have shape [N, F], or [{len(sample)}, N, F] for each "
            f'graph its own, got {list(x.shape)}'
        )


def check_output(conv: Module, out: Any) -> Tensor:
    r"""Expects a conv's output to be one tensor."""
    if not isinstance(out, Tensor):
        raise TypeError(
            f"'conv' ({type(conv).__name__}) must return one Tensor, got "
            f'{type(out).__name__}: wrap it in a module that returns the '
            'outputs alone, and call convs without return_attention_weights'
        )
    return out


def check_finite(conv: Module, out: Tensor) -> None:
    r"""Expects a conv's output to be finite."""
    if not bool(out.isfinite().all()):
        raise ValueError(
            f"'conv' ({type(conv).__name__}) must give finite outputs, got "
            'NaN or infinite values on the sampled graph'
        )


def message_passing_modules(conv: Module) -> list[MessagePassing]:
    return [m for m in conv.modules() if isinstance(m, MessagePassing)]
