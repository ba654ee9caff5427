from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import Tensor
from torch_geometric.utils import remove_self_loops, to_undirected

from torch_geometric_vgcn.checks import check_edge_index
from torch_geometric_vgcn.observed import observed_graph


def given_graph(graph: Any, num_rows: int) -> Tensor:
    r"""The edges of a graph of the rows, in both directions, without
    self-loops.
    """
    square = (num_rows, num_rows)
    if scipy.sparse.issparse(graph) and graph.shape != square:
        raise ValueError(
            f"'graph' must have shape [{num_rows}, {num_rows}], one row and "
            f'one column for each row of X, got {list(graph.shape)}: '
            'cross-validation of scikit-learn slices the rows of a matrix '
            'but not its columns; use transductive_scores(clf, X, y, graph)'
        )
    if isinstance(graph, np.ndarray) and graph.dtype.kind in 'iu':
        graph = torch.from_numpy(graph.astype(np.int64))
    edge_index, _ = observed_graph(graph, num_rows, 'graph', loops=True)
    edge_index, _ = remove_self_loops(edge_index)
    check_edge_index(edge_index, num_rows, 'graph')  # that some are left
    return to_undirected(edge_index, num_nodes=num_rows)
