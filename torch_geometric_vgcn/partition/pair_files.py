r"""The pairs of a graph, sorted into the files of the clusters that own
them.
"""

from pathlib import Path

import numpy as np

CHUNK = 2**22  # edges that are looked at together

RECORD = np.dtype(
    [
        ('other', 'i4'),  # the cluster of the other node
        ('row', 'i4'),  # the own node, by its place in the cluster
        ('col', 'i4'),  # the other node, likewise
        ('logit', 'f4'),
        ('node', 'i8'),  # the other node, by its id in the whole graph
    ]
)


def owns_first(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    r"""Whether pairs between two clusters belong to the first of them: to
    the lower one if both numbers are even or both odd, and otherwise to the
    higher one, so that each cluster owns about half of its pairs.
    """
    return (first < second) == ((first + second) % 2 == 0)


def scatter(
    folders: list[Path],
    edges: np.ndarray,
    logits: np.ndarray | float,
    cluster: np.ndarray,
    local: np.ndarray,
    inside_only: bool,
) -> None:
    r"""Appends some edges to the raw files of their owners.

    Args:
        folders (List[Path]): The folder of each cluster.
        edges (ndarray): Some edges, of shape :obj:`[2, E]`.
        logits (ndarray or float): Their prior logits.
        cluster (ndarray): The cluster of each node.
        local (ndarray): The place of each node in its cluster.
        inside_only (bool): Whether edges between clusters are left out.
    """
    record = np.empty(edges.shape[1], RECORD)
    record['logit'] = logits
    first, second = cluster[edges[0]], cluster[edges[1]]
    row, col = local[edges[0]], local[edges[1]]
    inside = first == second
    swap = np.where(inside, row > col, ~owns_first(first, second))
    owner = np.where(swap, second, first)
    record['other'] = np.where(swap, first, second)
    record['row'] = np.where(swap, col, row)
    record['col'] = np.where(swap, row, col)
    record['node'] = np.where(swap, edges[0], edges[1])
    kept = edges[0] != edges[1]
    if inside_only:
        kept &= inside
    record, owner = record[kept], owner[kept]
    order = np.argsort(owner, kind='stable')
    owners, start = np.unique(owner[order], return_index=True)
    for c, part in zip(owners, np.split(order, start)[1:], strict=True):
        with open(folders[c] / 'raw', 'ab') as file:
            record[part].tofile(file)


def sort_raw(folder: Path, largest: int) -> dict[str, np.ndarray]:
    r"""The pairs of one cluster's raw file, each once, sorted by the other
    cluster, row and column. A pair that comes several times has the highest
    of its logits.

    Args:
        folder (Path): The folder of the cluster.
        largest (int): The number of nodes of the largest cluster.
    """
    raw, record = folder / 'raw', np.empty(0, RECORD)
    if raw.exists():
        record = np.fromfile(raw, RECORD)
        raw.unlink()
    key = record['other'].astype(np.int64) * largest + record['row']
    key = key * largest + record['col']
    order = np.argsort(key, kind='stable')
    start = np.flatnonzero(np.diff(key[order], prepend=-1))
    first = record[order[start]]
    logit = first['logit']
    if len(start) > 0:
        logit = np.maximum.reduceat(record['logit'][order], start)
    other, begin = np.unique(first['other'], return_index=True)
    return {
        'row': first['row'],
        'col': first['col'],
        'col_node': first['node'],
        'logit': logit,
        'other': other,
        'pointer': np.append(begin, len(first)),
    }
