from base64 import b64encode
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import breadth_first_order

from torch_geometric_vgcn.report.findings import Findings

#: How many edges a page can hold, at eleven bytes each.
LIMIT = 1_500_000


def neighbourhoods(
    findings: Findings, starts: np.ndarray, limit: int
) -> dict[str, Any]:
    r"""The rows and edges that a page can explore, for JSON, with arrays in
    base64. With more than :obj:`limit` edges, these are the neighbourhoods of
    the rows that are nearest to :obj:`starts` in the graph; the others'
    neighbourhoods are incomplete.

    Args:
        findings (Findings): What the page shows.
        starts (numpy.ndarray): The rows that the page mentions.
        limit (int): The largest number of edges.
    """
    edges = findings.edges
    index, n = edges.index, findings.num_rows
    whole = np.ones(n, dtype=bool)
    if len(edges) > limit:
        whole = _near(index, n, starts, limit)
    kept = np.flatnonzero(whole[index].any(axis=0))
    shown = whole.copy()
    shown[index[:, kept]] = True
    rows = np.flatnonzero(shown)
    place = np.cumsum(shown) - 1
    left, right = place[index[:, kept]]
    # Pairs are sorted by their first row, so it is enough to count them. The
    # highest bit of the second tells a given edge:
    right = right | edges.given[kept].astype(np.int64) << 31
    names = findings.names
    if names is not None:
        names = [names[row] for row in rows.tolist()]
    return {
        'numRows': n,
        'numWhole': int(whole.sum()),
        'classes': list(findings.classes),
        'colour': findings.colour,
        'names': names,
        'source': findings.source,
        'keepsLabels': findings.keeps_labels,
        'hasGiven': bool(edges.given.any()),
        'hasNew': edges.has_new,
        'row': _packed(rows, np.uint32),
        'whole': _packed(whole[rows], np.uint8),
        'label': _packed(findings.label[rows], np.int32),
        'predicted': _packed(findings.predicted[rows], np.int32),
        'confidence': _packed(_scaled(findings.confidence[rows]), np.uint16),
        'count': _packed(np.bincount(left, minlength=rows.size), np.uint32),
        'right': _packed(right, np.uint32),
        'prior': _packed(_scaled(edges.prior[kept]), np.uint16),
        'posterior': _packed(_scaled(edges.posterior[kept]), np.uint16),
        'start': next(filter(whole.__getitem__, starts.tolist()), 0),
    }


def _near(
    index: np.ndarray, num_rows: int, starts: np.ndarray, limit: int
) -> np.ndarray:
    r"""The rows that are nearest to some, with so many edges in all."""
    # One more node, beside all starts, is where the search begins:
    first = np.unique(starts)
    row, col = np.concatenate(
        [index, [np.full_like(first, num_rows), first]], axis=1
    )
    graph = scipy.sparse.csr_array(
        (np.ones(row.size), (row, col)), shape=(num_rows + 1, num_rows + 1)
    )
    order = breadth_first_order(
        graph, num_rows, directed=False, return_predecessors=False
    )[1:]
    rest = np.setdiff1d(np.arange(num_rows), order)
    order = np.concatenate([order, rest])
    degree = np.bincount(index.ravel(), minlength=num_rows)
    order = order[degree[order] <= limit // 10]  # but for hubs
    near = np.zeros(num_rows, dtype=bool)
    near[order[np.cumsum(degree[order]) <= limit]] = True
    return near


def _scaled(prob: np.ndarray) -> np.ndarray:
    return np.rint(np.clip(prob, 0, 1) * 65535)


def _packed(values: np.ndarray, kind: type) -> str:
    r"""The bytes of an array, the lowest of each number first."""
    flat = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder('<'))
    return b64encode(flat.tobytes()).decode('ascii')
