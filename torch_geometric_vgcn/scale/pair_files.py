r"""The pairs of a graph, sorted into rows on disk."""

from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap

from torch_geometric_vgcn.utils import progress_bar

CHUNK = 2**22  # edges that are looked at together

RECORD = np.dtype(
    [
        ('own', 'i8'),  # the node whose row a pair is in
        ('other', 'i8'),
        ('logit', 'f4'),
    ]
)


def write_pairs(
    folder: Path,
    edges: np.ndarray,
    logits: np.ndarray | float,
    node: np.ndarray,
    progress: bool,
) -> int:
    r"""Writes each pair of different nodes once, to the row of that of lower
    degree: :obj:`pointer.npy`, where the rows start, :obj:`other.npy` and
    :obj:`logit.npy`. A pair that comes several times has the highest of its
    logits. Returns the number of pairs.

    Args:
        folder (Path): The folder.
        edges (ndarray): The edges, of shape :obj:`[2, E]`.
        logits (ndarray or float): Their prior logits.
        node (ndarray): The former id of each node.
        progress (bool): Whether to show a progress bar.
    """
    n, num_edges = len(node), edges.shape[1]
    parts = [slice(s, s + CHUNK) for s in range(0, num_edges, CHUNK)]
    place, degree = np.empty_like(node), np.zeros(n, np.int64)
    place[node] = np.arange(n)
    for part in parts:
        piece = np.asarray(edges[:, part])
        if piece.min() < 0 or piece.max() >= n:
            raise ValueError(
                f"'edge_index' must hold node ids in [0, {n - 1}], got "
                f'ids from {piece.min()} to {piece.max()}'
            )
        degree += np.bincount(piece.ravel(), minlength=n)
    degree = degree[node]
    buckets = [folder / f'pairs-{k}' for k in range(len(parts))]
    bar = {'disable': not progress, 'leave': False}
    for part in progress_bar(parts, 'pairs', **bar):
        first, second = place[np.asarray(edges[:, part])]
        record = np.empty(len(first), RECORD)
        swap = degree[first] > degree[second]
        same = degree[first] == degree[second]
        swap |= same & (first > second)
        record['own'] = np.where(swap, second, first)
        record['other'] = np.where(swap, first, second)
        some = logits if isinstance(logits, float) else logits[part]
        if not np.isfinite(some).all():
            raise ValueError("'logits' must be finite")
        record['logit'] = some
        record = record[first != second]
        bucket = record['own'] * len(buckets) // n
        for k in np.unique(bucket):
            with buckets[k].open('ab') as file:
                record[bucket == k].tofile(file)
    pointer = np.zeros(n + 1, np.int64)
    for path in progress_bar(buckets, 'rows', **bar):
        if path.exists():
            record = _sorted(np.fromfile(path, RECORD), n)
            record.tofile(path)
            if len(record) > 0:
                first = int(record['own'][0])
                count = np.bincount(record['own'] - first)
                pointer[first + 1 : first + 1 + len(count)] += count
    pointer = pointer.cumsum()
    np.save(folder / 'pointer.npy', pointer)
    size = (int(pointer[-1]),)
    other = open_memmap(folder / 'other.npy', 'w+', np.int64, size)
    logit = open_memmap(folder / 'logit.npy', 'w+', np.float32, size)
    start = 0
    for path in buckets:
        if path.exists():
            record = np.fromfile(path, RECORD)
            stop = start + len(record)
            other[start:stop] = record['other']
            logit[start:stop] = record['logit']
            start = stop
            path.unlink()
    return size[0]


def _sorted(record: np.ndarray, num_nodes: int) -> np.ndarray:
    r"""Pairs sorted by row, each once."""
    key = record['own'] * num_nodes + record['other']
    order = np.argsort(key, kind='stable')
    start = np.flatnonzero(np.diff(key[order], prepend=-1))
    out = record[order[start]]
    if len(start) > 0:
        out['logit'] = np.maximum.reduceat(record['logit'][order], start)
    return out
