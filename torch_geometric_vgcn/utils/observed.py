import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from numbers import Integral
from reprlib import repr as short
from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.typing import SparseTensor
from torch_geometric.utils import (
    is_torch_sparse_tensor,
    remove_self_loops,
    to_edge_index,
    to_undirected,
)

from torch_geometric_vgcn.utils.graph import (
    MOST_NODES,
    check_edge_index,
    check_num_nodes,
)

#: Under which names PyG keeps weights or attributes of edges.
EDGE_VALUES = ('edge_weight', 'edge_attr', 'weight')


def observed_graph(
    graph: Any,
    num_nodes: int | None = None,
    name: str = 'edge_index',
    loops: bool = False,
    names: Sequence[Any] | None = None,
    empty: bool = False,
) -> tuple[Tensor, int]:
    r"""Turns whatever holds a graph into :obj:`edge_index` and the number of
    nodes: a tensor or array :obj:`[2, E]`, PyG's :class:`EdgeIndex`, an
    adjacency matrix as a sparse :class:`torch.Tensor`, a SciPy sparse matrix
    or a :class:`torch_sparse.SparseTensor`, a NetworkX graph, a list of pairs
    or a DataFrame of two columns.

    Directions don't matter: an edge in one direction counts for both. An
    edge is there or not: of weights, only one (an edge) and zero (none) are
    taken. The nodes of NetworkX graphs, lists and DataFrames are the numbers
    :math:`0, \ldots, N - 1`, in any order, or :obj:`names`.

    Args:
        graph (Any): The graph.
        num_nodes (int, optional): The number of nodes. Tensors, arrays
            :obj:`[2, E]`, lists and DataFrames don't tell it by themselves.
            (default: :obj:`None`)
        name (str, optional): What errors call the graph.
            (default: :obj:`"edge_index"`)
        loops (bool, optional): Whether it may have self-loops.
            (default: :obj:`False`)
        names (Sequence, optional): The names of all nodes, in their order.
            (default: :obj:`None`, numbers)
        empty (bool, optional): Whether it may have no edge.
            (default: :obj:`False`)
    """
    size: int | None = None
    if num_nodes is not None:
        num_nodes = check_num_nodes(num_nodes)
    if _is_networkx(graph):
        size = len(graph) if names is None else None
        place = _places(graph, len(graph), names, name)
        ends = graph.to_directed(as_view=True).edges(data='weight', default=1)
        edge_index = _joined([(u, v) for u, v, _ in ends], place)
        edge_index = edge_index[:, _weigh([w for *_, w in ends], name)]
    elif isinstance(graph, list) or _is_frame(graph):
        pairs = _pairs(graph, name)
        most = MOST_NODES if num_nodes is None else num_nodes
        place = _places(chain.from_iterable(pairs), most, names, name)
        edge_index = _joined(pairs, place)
    elif scipy.sparse.issparse(graph):
        size = _size(graph.shape, name)
        graph = graph.tocsr()
        if not graph.has_canonical_format:
            graph = graph.copy()
            graph.sum_duplicates()
        graph = graph.tocoo()
        edges = np.stack([graph.row, graph.col])
        edges = edges[:, _is_edge(graph.data, name)]
        edge_index = torch.from_numpy(edges).long()
    elif type(graph) is SparseTensor:
        size = _size(graph.sizes(), name)
        row, col, value = graph.coalesce().coo()
        edge_index = torch.stack([row, col])
        if value is not None:
            edge_index = edge_index[:, _is_edge(value, name)]
    elif isinstance(graph, Tensor) and is_torch_sparse_tensor(graph):
        size = _size(graph.shape, name)
        if graph.layout == torch.sparse_coo:
            graph = graph.coalesce()  # PyG only claims that it is
        edge_index, value = to_edge_index(graph)
        edge_index = edge_index[:, _is_edge(value, name)]
    elif isinstance(graph, Tensor):
        # PyG's EdgeIndex is a Tensor that remembers its size.
        size = getattr(graph, 'num_rows', None)
        as_tensor = getattr(graph, 'as_tensor', None)
        edge_index = graph if as_tensor is None else as_tensor()
    elif isinstance(graph, np.ndarray):
        if graph.dtype.kind not in 'iu':
            raise TypeError(
                f"'{name}' must hold integer node ids of shape [2, E] if it "
                f'is an array, got {graph.dtype}: an adjacency matrix must be '
                'sparse, names a DataFrame or a list of pairs'
            )
        edge_index = torch.from_numpy(graph.astype(np.int64))
    else:
        raise TypeError(
            f"'{name}' must be a Tensor or array of shape [2, E], an "
            'EdgeIndex, a sparse matrix (torch, SciPy, torch_sparse), a '
            'NetworkX graph, a DataFrame of two columns or a list of pairs, '
            f'got {type(graph).__name__}'
        )
    if num_nodes is None and size is not None:
        num_nodes = check_num_nodes(size)
    if num_nodes is None:
        raise ValueError(
            f"'num_nodes' must be given, as '{name}' alone doesn't tell "
            'of nodes without edges'
        )
    if size is not None and size != num_nodes:
        raise ValueError(
            f"'{name}' must be a graph of {num_nodes} nodes, got one of {size}"
        )
    check_edge_index(edge_index, num_nodes, name, empty=empty, loops=loops)
    return edge_index.long(), num_nodes


def undirected_graph(
    graph: Any,
    num_nodes: int,
    name: str = 'graph',
    names: Sequence[Any] | None = None,
) -> Tensor:
    r"""The edges of whatever holds a graph, in both directions and without
    self-loops. There may be none.
    """
    edge_index, _ = observed_graph(graph, num_nodes, name, True, names, True)
    edge_index, _ = remove_self_loops(edge_index)
    return to_undirected(edge_index, num_nodes=num_nodes)


def lists_edges(graph: Any) -> bool:
    r"""Whether edges stand in an order that was given: a matrix and a NetworkX
    graph have one of their own.
    """
    if isinstance(graph, Tensor):
        return graph.layout == torch.strided
    return isinstance(graph, (list, np.ndarray)) or _is_frame(graph)


def observed_edges(data: Data, empty: bool = False) -> Tensor | None:
    r"""The edges of a data object, if it has a graph (:obj:`edge_index`, or
    :obj:`adj_t`), without those of weight zero. Other weights, and
    attributes, are refused; so is a graph without edges, unless
    :obj:`empty`.
    """
    key = 'adj_t' if data.get('edge_index') is None else 'edge_index'
    if data.get(key) is None:
        return None
    edge_index, _ = observed_graph(
        data[key], data.num_nodes, f'data.{key}', loops=True, empty=empty
    )
    kept = torch.ones_like(edge_index[0], dtype=torch.bool)
    for key in EDGE_VALUES:
        value, name = data.get(key), f'data.{key}'
        # There may be weights of nodes, too:
        if value is None or (key == 'weight' and key not in data.edge_attrs()):
            continue
        if not isinstance(value, Tensor) or value.numel() != kept.numel():
            raise ValueError(
                f"'{name}' must hold one weight for each edge, of one or "
                f'zero, got {short(value)}: attributes of edges are not '
                f'used, so drop them ({name} = None)'
            )
        kept &= _is_edge(value.detach().view(-1), name).to(kept.device)
    return edge_index[:, kept]


def _is_networkx(graph: Any) -> bool:
    r"""Whether this is a graph of NetworkX, which then is imported already."""
    networkx = sys.modules.get('networkx')
    return networkx is not None and isinstance(graph, networkx.Graph)


def _is_frame(graph: Any) -> bool:
    r"""Whether this is a DataFrame (of pandas, polars)."""
    return hasattr(graph, 'columns') and hasattr(graph, 'to_numpy')


def _pairs(graph: Any, name: str) -> list[Sequence[Any]]:
    r"""The pairs of nodes in a list or a DataFrame."""
    if _is_frame(graph):
        columns = list(graph.columns)
        if len(columns) != 2 or columns[0] == columns[1]:
            raise ValueError(
                f"'{name}' must have two columns, source and target, if it is "
                f'a DataFrame, got {short(columns)}: choose two of them, as '
                'weights and attributes are not used'
            )
        ends = (graph[column].to_list() for column in columns)
        return list(zip(*ends, strict=True))
    for pair in graph:
        if not isinstance(pair, (list, tuple, np.ndarray)) or len(pair) != 2:
            raise ValueError(
                f"'{name}' must hold pairs of nodes, [(i, j), ...], if it is "
                f'a list, got {short(pair)}'
            )
    return graph


def _places(
    nodes: Iterable[Any], count: int, names: Sequence[Any] | None, name: str
) -> Mapping[Any, int]:
    r"""The number of each node, which may be the node itself."""
    try:
        nodes = dict.fromkeys(nodes)
    except TypeError as error:
        raise TypeError(
            f"'{name}' must have numbers or names as nodes: {error}"
        ) from error
    if names is None:
        numbers = range(count)
        for node in nodes:
            if not isinstance(node, Integral) or node not in numbers:
                raise ValueError(
                    f"'{name}' must have the numbers 0 to {count - 1} as "
                    f'nodes, got {node!r}: number the nodes '
                    '(networkx.relabel_nodes) and add those without edges; '
                    'names are taken by VGCN (node_names=) and by estimators '
                    '(the index of a DataFrame X)'
                )
        return {node: int(node) for node in nodes}
    place: dict[Any, int] = {}
    for number, row in enumerate(names):
        if row in place:
            raise ValueError(
                f"'{name}' has names as nodes, so those of the rows must be "
                f'distinct, got {row!r} twice'
            )
        place[row] = number
    strange = [node for node in nodes if node not in place]
    if strange:
        raise ValueError(
            f"'{name}' must have names of rows as nodes, such as "
            f'{names[0]!r}, got {strange[0]!r} ({len(strange)} of '
            f'{len(nodes)} nodes are no names of rows): leave them out; for '
            'numbers instead of names, X.reset_index(drop=True) or no '
            'node_names'
        )
    return place


def _joined(pairs: Iterable[Any], place: Mapping[Any, int]) -> Tensor:
    ends = [[place[u], place[v]] for u, v in pairs]
    return torch.tensor(ends, dtype=torch.long).view(-1, 2).t()


def _weigh(weights: list[Any], name: str) -> Any:
    r"""Which edges of a NetworkX graph are edges by their weights."""
    try:
        value = np.fromiter(weights, float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"'{name}' must have numbers as weights: {error}"
        ) from error
    return _is_edge(value, name)


def _is_edge(weight: Any, name: str) -> Any:
    r"""Which weights are edges. An edge has no strength: it is there or
    not.
    """
    edge = weight == 1
    other = weight[~edge & (weight != 0)]
    if len(other) > 0:
        raise ValueError(
            f"'{name}' must hold ones (edges) and zeros (none), no NaN and no "
            f'other weights, got {other.tolist()[0]}: weights are not used, '
            'so say which pairs are edges (A != 0 or A > 0.5 of a matrix, '
            'list(G.edges) of NetworkX)'
        )
    return edge


def _size(shape: Sequence[int], name: str) -> int:
    r"""The number of nodes of an adjacency matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"'{name}' must be a square matrix if it is a sparse one, got "
            f'shape {list(shape)}'
        )
    return shape[0]
