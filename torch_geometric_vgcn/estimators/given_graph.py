from typing import Any

import scipy.sparse
from torch import Tensor

from torch_geometric_vgcn.datasets.missing import is_missing
from torch_geometric_vgcn.utils import check_edge_index, undirected_graph


def row_names(X: Any) -> list[Any] | None:  # noqa: N803
    r"""The names of the rows, if they have any: the index of a DataFrame of
    pandas, unless it counts the rows.
    """
    if not (hasattr(X, 'columns') and hasattr(X, 'index')):
        return None
    # What is missing is no name, and like nothing else:
    names = [
        name if isinstance(name, str) or not is_missing(name) else object()
        for name in X.index
    ]
    return None if names == list(range(len(names))) else names


def given_graph(
    graph: Any, num_rows: int, names: list[Any] | None = None
) -> Tensor | None:
    r"""The edges of a graph of the rows, if there is one, in both directions,
    without self-loops.
    """
    if graph is None:
        return None
    square = (num_rows, num_rows)
    if scipy.sparse.issparse(graph) and graph.shape != square:
        raise ValueError(
            f"'graph' must have shape [{num_rows}, {num_rows}], one row and "
            f'one column for each row of X, got {list(graph.shape)}: '
            'cross-validation of scikit-learn slices the rows of a matrix '
            'but not its columns; use transductive_scores(clf, X, y, graph)'
        )
    edge_index = undirected_graph(graph, num_rows, 'graph', names)
    check_edge_index(edge_index, num_rows, 'graph')  # that there are some
    return edge_index
