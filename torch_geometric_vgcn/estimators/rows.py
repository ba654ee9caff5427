r"""Rows of a table, their names, and a graph of them, as users have them."""

from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import Tensor

from torch_geometric_vgcn.datasets.missing import is_missing
from torch_geometric_vgcn.utils import check_edge_index, undirected_graph


def as_numpy(x: Tensor) -> Any:
    r"""A matrix as an array, or as a sparse one of SciPy."""
    if x.dtype == torch.bfloat16:  # which NumPy doesn't have
        x = x.float()
    if x.layout == torch.strided:
        return x.numpy()
    x = x if x.layout == torch.sparse_csr else x.to_sparse_csr()
    index = np.int32 if x.values().numel() < 2**31 else np.int64
    return scipy.sparse.csr_matrix(
        (
            x.values().numpy(),
            x.col_indices().numpy().astype(index),
            x.crow_indices().numpy().astype(index),
        ),
        shape=tuple(x.shape),
    )


def canonical(x: Any) -> Any:
    r"""A sparse matrix as the sorted list of its entries that aren't zero,
    so that the same numbers are the same arrays. A matrix of the caller's is
    not changed.
    """
    if not scipy.sparse.issparse(x):
        return x
    if not x.has_canonical_format or not x.data.all():
        x = x.copy()
        x.sum_duplicates()
        x.eliminate_zeros()
    return x


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
