import inspect
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import (
    DenseGATConv,
    DenseGCNConv,
    DenseGINConv,
    DenseGraphConv,
    DenseSAGEConv,
    HANConv,
    HGTConv,
    MessagePassing,
    RGATConv,
    RGCNConv,
)

from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.utils import (
    check_features,
    check_kind,
    further_arguments,
)

# They take two arguments, but can't do without the types of edges or nodes:
TYPED = (HANConv, HGTConv, RGATConv, RGCNConv)
DENSE = (
    DenseGCNConv,
    DenseGINConv,
    DenseGraphConv,
    DenseSAGEConv,
    DenseGATConv,
)


def message_passing_modules(conv: Module) -> list[MessagePassing]:
    return [m for m in conv.modules() if isinstance(m, MessagePassing)]


def is_dense(conv: Module) -> bool:
    r"""Whether a conv or model has dense layers of PyG."""
    return any(isinstance(module, DENSE) for module in conv.modules())


def check_layers(conv: Module) -> None:
    r"""Expects layers that depend on a graph, and on each that they get."""
    name, convs = type(conv).__name__, message_passing_modules(conv)
    dense = [module for module in conv.modules() if isinstance(module, DENSE)]
    if dense and convs:
        raise TypeError(
            f"'conv' ({name}) mixes dense and message passing layers"
        )
    for module in dense:
        if isinstance(module, DenseGATConv) or (
            getattr(module, 'aggr', 'add') == 'max'
        ):
            raise TypeError(
                f"'conv' ({name}) contains {module}, which gives no gradient "
                'to the adjacency matrix'
            )
    if not dense and not convs:
        raise TypeError(
            f"'conv' ({name}) contains no PyG message passing layer"
        )
    for module in convs:
        if getattr(module, 'cached', False):
            raise TypeError(
                f"'conv' ({name}) contains {type(module).__name__}"
                '(cached=True), which would ignore all graphs but the first'
            )


def check_unordered(conv: Module) -> None:
    r"""Expects no aggregation that needs the edges sorted by target."""
    for module in message_passing_modules(conv):
        if (aggr := module.aggr_module) is None:
            continue
        forward = inspect.unwrap(type(aggr).forward)
        if 'to_dense_batch' in forward.__code__.co_names:
            raise TypeError(
                f"'conv' ({type(conv).__name__}) contains "
                f'{type(aggr).__name__}, which reads the edges of a node one '
                'after another, so that they can have no weights: only hard '
                'samples fit it (sampler=Bernoulli())'
            )


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
            f'forward({", ".join(signature.parameters)}){hint}'
        ) from None
    needed = [
        other
        for other, argument in further_arguments(conv).items()
        if argument.default is argument.empty
        and other != 'edge_attr'  # that of the prior
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


def check_gradient(conv: Module, out: Tensor, weight: Tensor) -> None:
    r"""Expects the output to have a gradient by the edge weights: a model that
    detaches them would train without ever learning a graph.
    """
    if weight.numel() and not reaches(out, weight):
        raise TypeError(
            f"'conv' ({type(conv).__name__}) gives no gradient to the edges "
            'that it is given: use them with gradients'
        )


def reaches(out: Tensor, weight: Tensor) -> bool:
    r"""Whether the output has a gradient by the weights."""
    if not out.requires_grad:
        return False
    (grad,) = torch.autograd.grad(
        out.sum(), weight, retain_graph=True, allow_unused=True
    )
    return grad is not None
