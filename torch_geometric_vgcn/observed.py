from collections.abc import Sequence
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
    graph: Any, num_nodes: int | None = None
) -> tuple[Tensor, int]:
    r"""Turns whatever holds a graph into :obj:`edge_index` and the number of
    nodes: a tensor :obj:`[2, E]`, PyG's :class:`EdgeIndex`, an adjacency
    matrix as a sparse :class:`torch.Tensor`, a SciPy sparse matrix or a
    :class:`torch_sparse.SparseTensor`, or a NetworkX graph.

    Directions don't matter: an edge in one direction counts for both. Neither
    do an adjacency matrix's values, as long as they aren't zero.

    Args:
        graph (Any): The graph, without self-loops.
        num_nodes (int, optional): The number of nodes. Only a tensor
            :obj:`[2, E]` doesn't tell it by itself. (default: :obj:`None`)
    """
    size: int | None = None
    if isinstance(graph, networkx.Graph):
        place = {node: number for number, node in enumerate(graph)}
        edges = graph.to_directed(as_view=True).edges()
        ends = [[place[u], place[v]] for u, v in edges]
        edge_index = torch.tensor(ends, dtype=torch.long).view(-1, 2).t()
        size = len(place)
    elif scipy.sparse.issparse(graph):
        size = _size(graph.shape)
        graph = graph.tocoo()
        edges = np.stack([graph.row, graph.col])[:, graph.data != 0]
        edge_index = torch.from_numpy(edges).long()
    elif type(graph) is SparseTensor:
        size = _size(graph.sizes())
        row, col, value = graph.coo()
        edge_index = torch.stack([row, col])
        if value is not None:
            edge_index = edge_index[:, value != 0]
    elif isinstance(graph, Tensor) and is_torch_sparse_tensor(graph):
        size = _size(graph.shape)
        edge_index, value = to_edge_index(graph)
        edge_index = edge_index[:, value != 0]
    elif isinstance(graph, Tensor):
        # PyG's EdgeIndex is a Tensor that remembers its size.
        size = getattr(graph, 'num_rows', None)
        as_tensor = getattr(graph, 'as_tensor', None)
        edge_index = graph if as_tensor is None else as_tensor()
    else:
        raise TypeError(
            "'edge_index' must be a Tensor of shape [2, E], an EdgeIndex, a "
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
            f"'num_nodes' must be that of the graph, {size}, got {num_nodes}"
        )
    check_edge_index(edge_index, num_nodes)
    return edge_index.long(), num_nodes


def _size(shape: Sequence[int]) -> int:
    r"""The number of nodes of an adjacency matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            "'edge_index' must be a square matrix if it is a sparse one, got "
            f'shape {list(shape)}'
        )
    return shape[0]
