import json
import os
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from scipy import sparse

from torch_geometric_vgcn.prior.base import default_background, logit
from torch_geometric_vgcn.scale.graph import NAME, StoredGraph, files
from torch_geometric_vgcn.scale.inputs import (
    as_array,
    as_rows,
    read_clusters,
    read_edges,
    read_labels,
    read_mask,
)
from torch_geometric_vgcn.scale.pair_files import write_pairs
from torch_geometric_vgcn.utils import (
    check_flag,
    check_path,
    check_probability,
    whole_file,
)

CHUNK = 2**16  # rows of features that are written together


def write_graph(
    folder: str | Path,
    x: Any,
    edge_index: Any,
    y: Any,
    train_mask: Any,
    val_mask: Any,
    *,
    num_parts: int | None = None,
    cluster: Any = None,
    rho1: float = 0.25,
    rho0: float | None = None,
    logits: Any = None,
    progress: bool = True,
) -> StoredGraph:
    r"""Writes a graph to disk cluster by cluster, such that processes read
    only the batches that they train: features, labels, masks, and candidate
    pairs with their prior logits, as plain :obj:`.npy` files. A graph that
    was in the folder before stays until the new one is whole.

    Features and edges are read in pieces, and may be larger than memory. What
    is held are some 30 bytes per node, and what METIS needs, unless
    :obj:`cluster` is given.

    Each pair is in the row of its node of lower degree, so that rows are
    short even where some nodes have many neighbours.

    Args:
        folder (str or Path): The folder to write to.
        x (Any): The features, of shape :obj:`[N, F]`: a tensor, an array or
            memory map, a SciPy sparse matrix, or the path of an :obj:`.npy`
            file. Sparse ones are written as dense ones.
        edge_index (Any): The candidate pairs, of shape :obj:`[2, E]`: a
            tensor, an array or memory map, or the path of an :obj:`.npy` file.
        y (Any): The labels, such as classes of shape :obj:`[N]`.
        train_mask (Any): The training nodes, as a mask or as indices.
        val_mask (Any): The validation nodes.
        num_parts (int, optional): The number of clusters, made by METIS.
            (default: :obj:`None`)
        cluster (Any, optional): The cluster of each node, from 0 on, instead.
            (default: :obj:`None`)
        rho1 (float, optional): The prior probability of the given edges.
            (default: :obj:`0.25`)
        rho0 (float, optional): That of all other pairs. (default:
            :obj:`1e-5`, less for graphs larger than Citeseer)
        logits (Any, optional): The prior logit of each edge, of shape
            :obj:`[E]`, instead of :obj:`rho1`. (default: :obj:`None`)
        progress (bool, optional): Whether to show progress bars.
            (default: :obj:`True`)
    """
    folder = check_path(folder, 'folder')
    check_flag(progress, 'progress')
    _check_kept(
        folder,
        {
            'x': x,
            'edge_index': edge_index,
            'y': y,
            'train_mask': train_mask,
            'val_mask': val_mask,
            'cluster': cluster,
            'logits': logits,
        },
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scratch = TemporaryDirectory(dir=folder, prefix='scratch-')
    except OSError as error:
        raise OSError(
            f"'folder' must be writable, got {folder}: {error}"
        ) from error
    with scratch as temporary:
        part = Path(temporary)
        rows = as_rows(x)
        n = rows.shape[0]
        edges = read_edges(edge_index)
        values: Any = logit(check_probability(rho1, 'rho1'))
        if logits is not None:
            values = as_array(logits, 'logits')
            if values.shape != (edges.shape[1],):
                raise ValueError(
                    "'logits' must have one number per edge, of shape "
                    f'[{edges.shape[1]}], got {list(values.shape)}'
                )
        if rho0 is None:
            rho0 = default_background(n)
        labels = read_labels(y, n)
        masks = {
            'train_mask': read_mask(train_mask, n, 'train_mask'),
            'val_mask': read_mask(val_mask, n, 'val_mask'),
        }
        about = {
            'num_nodes': n,
            'num_features': rows.shape[1],
            'num_train': int(masks['train_mask'].sum()),
            'highest_class': _highest(labels, masks),
            'background': check_probability(rho0, 'rho0'),
        }
        label = read_clusters(cluster, num_parts, edges, n)
        size = np.bincount(label)
        if int(size.min()) < 2:
            raise ValueError(
                f"'cluster' must have two nodes or more in each of "
                f'{len(size)} clusters, got {int(size.min())}: lower the '
                'number of clusters'
            )
        node = np.argsort(label, kind='stable')
        arrays = {'node': node, 'border': np.append(0, size.cumsum())}
        arrays |= {name: mask[node] for name, mask in masks.items()}
        for name, array in (*arrays.items(), ('y', labels[node])):
            np.save(part / f'{name}.npy', array, allow_pickle=False)
        about['num_pairs'] = write_pairs(part, edges, values, node, progress)
        _write_features(part, rows, node)
        whole = sha256(json.dumps(about).encode())
        for path in files(part):
            if path.exists():
                with path.open('rb') as file:
                    whole.update(file_digest(file, 'sha256').digest())
        about['digest'] = whole.hexdigest()[:16]
        # What was there before stays until all of this is whole:
        for path in files(folder):
            path.unlink(missing_ok=True)
        for path in files(part):
            if path.exists():
                path.rename(folder / path.name)
    with whole_file(folder / NAME) as file:
        file.write(json.dumps(about).encode())
    return StoredGraph(folder)


def _check_kept(folder: Path, inputs: dict[str, Any]) -> None:
    r"""Expects that nothing is read from what is to be replaced."""
    own = {path.resolve() for path in files(folder)}
    for name, value in inputs.items():
        if isinstance(value, np.memmap):
            value = value.filename
        if (
            isinstance(value, (str, os.PathLike))
            and Path(value).resolve() in own
        ):
            raise ValueError(
                f"'{name}' must not be in the graph that is written over, "
                f'got {value}'
            )


def _highest(labels: np.ndarray, masks: dict[str, np.ndarray]) -> int:
    r"""The highest class of a node with a label, or -1 without classes."""
    if labels.dtype != np.int64:
        return -1
    known = labels[masks['train_mask'] | masks['val_mask']]
    if known.min() < 0:
        raise ValueError(
            "'y' must be non-negative where a mask selects a node, got "
            f'{known.min()}'
        )
    return int(known.max())


def _write_features(folder: Path, rows: Any, node: np.ndarray) -> None:
    r"""Writes the features of all nodes in their new order."""
    out = open_memmap(folder / 'x.npy', 'w+', np.float32, rows.shape)
    for start in range(0, len(node), CHUNK):
        some = rows[node[start : start + CHUNK]]
        some = some.toarray() if sparse.issparse(some) else some
        if not np.isfinite(some).all():
            raise ValueError("'x' must be finite, got NaN or infinite values")
        out[start : start + len(some)] = some
