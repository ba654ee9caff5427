from collections.abc import Sequence
from numbers import Integral
from typing import Any

import networkx
import numpy as np
import scipy.sparse
import torch
from torch import Tensor
from torch_geometric.typing import SparseTensor
from torch_geometric.utils import (
    is_torch_sparse_tensor,
    to_edge_index,
)

from torch_geometric_vgcn.checks import check_edge_index, check_num_nodes


def observed_graph(
    graph: Any,
    num_nodes: int | None = None,
    name: str = 'edge_index',
    loops: bool = False,
) -> tuple[Tensor, int]:
    r"""Turns whatever holds a graph into :obj:`edge_index` and the number of
    nodes: a tensor :obj:`[2, E]`, PyG's :class:`EdgeIndex`, an adjacency
    matrix as a sparse :class:`torch.Tensor`, a SciPy sparse matrix or a
    :class:`torch_sparse.SparseTensor`, or a NetworkX graph.

    Directions don't matter: an edge in one direction counts for both. Neither
    do an adjacency matrix's values, as long as they aren't zero. The nodes of
    a NetworkX graph are numbered :math:`0, \ldots, N - 1` themselves, whatever
    their order, or are named, and then numbered in their order.

    Args:
        graph (Any): The graph.
        num_nodes (int, optional): The number of nodes. Only a tensor
            :obj:`[2, E]` doesn't tell it by itself. (default: :obj:`None`)
        name (str, optional): What errors call the graph.
            (default: :obj:`"edge_index"`)
        loops (bool, optional): Whether it may have self-loops.
            (default: :obj:`False`)
    """
    size: int | None = None
    if isinstance(graph, networkx.Graph):
        place = _numbers(graph, name)
        edges = graph.to_directed(as_view=True).edges()
        ends = [[place[u], place[v]] for u, v in edges]
        edge_index = torch.tensor(ends, dtype=torch.long).view(-1, 2).t()
        size = len(place)
    elif scipy.sparse.issparse(graph):
        size = _size(graph.shape, name)
        graph = graph.tocoo()
        edges = np.stack([graph.row, graph.col])
        edges = edges[:, _is_edge(graph.data, name)]
        edge_index = torch.from_numpy(edges).long()
    elif type(graph) is SparseTensor:
        size = _size(graph.sizes(), name)
        row, col, value = graph.coo()
        edge_index = torch.stack([row, col])
        if value is not None:
            edge_index = edge_index[:, _is_edge(value, name)]
    elif isinstance(graph, Tensor) and is_torch_sparse_tensor(graph):
        size = _size(graph.shape, name)
        edge_index, value = to_edge_index(graph)
        edge_index = edge_index[:, _is_edge(value, name)]
    elif isinstance(graph, Tensor):
        # PyG's EdgeIndex is a Tensor that remembers its size.
        size = getattr(graph, 'num_rows', None)
        as_tensor = getattr(graph, 'as_tensor', None)
        edge_index = graph if as_tensor is None else as_tensor()
    else:
        raise TypeError(
            f"'{name}' must be a Tensor of shape [2, E], an EdgeIndex, a "
            'sparse matrix (torch, SciPy, torch_sparse) or a NetworkX graph, '
            f'got {type(graph).__name__}'
        )
    if num_nodes is None:
        num_nodes = size
    if num_nodes is None:
        raise ValueError(
            "'num_nodes' must be given, as 'edge_index' alone doesn't tell "
            'of nodes without edges'
        )
    num_nodes = check_num_nodes(num_nodes)
    if size is not None and size != num_nodes:
        raise ValueError(
            f"'{name}' must be a graph of {num_nodes} nodes, got one of {size}"
        )
    check_edge_index(edge_index, num_nodes, name, loops=loops)
    return edge_index.long(), num_nodes


def _numbers(graph: networkx.Graph, name: str) -> dict[Any, int]:
    r"""The number of each node. Integers are numbers of nodes already: in a
    graph made from a list of edges, they are in any order.
    """
    whole = [node for node in graph if isinstance(node, Integral)]
    if not whole:
        return {node: number for number, node in enumerate(graph)}
    count = len(graph)
    other = [node for node in graph if node not in range(count)]
    if other:
        raise ValueError(
            f"'{name}' must have nodes from 0 to {count - 1} if they are "
            f'integers, as it has {count} of them, got {other[0]!r}: add '
            'nodes without edges, or number all nodes '
            '(networkx.convert_node_labels_to_integers)'
        )
    return {node: int(node) for node in graph}


def _is_edge(value: Any, name: str) -> Any:
    r"""Which entries of an adjacency matrix are edges."""
    if bool((value != value).any()):
        raise ValueError(f"'{name}' must hold no NaN if it is a matrix")
    return value != 0


def _size(shape: Sequence[int], name: str) -> int:
    r"""The number of nodes of an adjacency matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"'{name}' must be a square matrix if it is a sparse one, got "
            f'shape {list(shape)}'
        )
    return shape[0]
