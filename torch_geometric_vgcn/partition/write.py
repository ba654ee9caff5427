import os
import re
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse

from torch_geometric_vgcn.partition.features import as_array, as_rows
from torch_geometric_vgcn.partition.graph import PartitionedGraph, folder_of
from torch_geometric_vgcn.partition.inputs import (
    read_clusters,
    read_edges,
    read_labels,
    read_mask,
)
from torch_geometric_vgcn.partition.manifest import NAME, Manifest
from torch_geometric_vgcn.partition.pair_files import CHUNK, scatter, sort_raw
from torch_geometric_vgcn.prior.base import default_background, logit
from torch_geometric_vgcn.utils import (
    check_count,
    check_flag,
    check_path,
    check_probability,
    progress_bar,
)


def partition_graph(
    folder: str | Path,
    x: Any,
    edge_index: Any,
    y: Any,
    train_mask: Any,
    val_mask: Any,
    *,
    num_parts: int | None = None,
    cluster: Any = None,
    num_shards: int = 1,
    dense: bool = False,
    rho1: float = 0.25,
    rho0: float | None = None,
    logits: Any = None,
    progress: bool = True,
) -> PartitionedGraph:
    r"""Writes a graph to disk cluster by cluster, such that processes that
    train together load only the clusters that they own: features, labels,
    masks, and candidate pairs inside and to other clusters with their prior
    logits, as plain :obj:`.npy` files. A graph that was in the folder before
    stays until the new one is whole.

    Features and edges are read in pieces, and may be larger than memory. What
    is held are the cluster and place of each node (8 bytes), and what METIS
    needs, unless :obj:`cluster` is given.

    A pair inside a cluster belongs to it; one between two clusters to the
    lower one if both numbers are even or both odd, and else to the higher one.

    Args:
        folder (str or Path): The folder to write to.
        x (Any): The features, of shape :obj:`[N, F]`: a tensor, an array or
            memory map, a SciPy sparse matrix, or the path of an :obj:`.npy`
            file or of a file of :func:`scipy.sparse.save_npz`.
        edge_index (Any): The candidate pairs, of shape :obj:`[2, E]`: a
            tensor, an array or memory map, or the path of an :obj:`.npy` file.
        y (Any): The classes, of shape :obj:`[N]`.
        train_mask (Any): The training nodes, as a mask or as indices.
        val_mask (Any): The validation nodes.
        num_parts (int, optional): The number of clusters, made by METIS.
            (default: :obj:`None`)
        cluster (Any, optional): The cluster of each node, from 0 on, instead.
            (default: :obj:`None`)
        num_shards (int, optional): In how many groups of clusters the graph
            is divided: the greatest number of processes that can train it. A
            step takes one batch of each. (default: :obj:`1`)
        dense (bool, optional): If set to :obj:`True`, all pairs inside a
            cluster have a logit, and none between clusters, as with
            :class:`~torch_geometric_vgcn.pairs.ClusterPairs`.
            (default: :obj:`False`)
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
    num_shards = check_count(num_shards, 'num_shards', least=1)
    check_flag(dense, 'dense')
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
        rows = as_rows(x, Path(temporary))
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
        labels = read_labels(y, n)
        masks = {
            'train': read_mask(train_mask, n, 'train_mask'),
            'val': read_mask(val_mask, n, 'val_mask'),
        }
        label = read_clusters(cluster, num_parts, edges, n)
        size = np.bincount(label)
        if len(size) % num_shards != 0:
            raise ValueError(
                "'num_shards' must divide the number of clusters, got "
                f'{num_shards} for {len(size)} clusters'
            )
        if int(size.min()) < 2:
            raise ValueError(
                f"'cluster' must have two nodes or more in each of "
                f'{len(size)} clusters, got {int(size.min())}: lower the '
                'number of clusters'
            )
        if rho0 is None:
            rho0 = default_background(n)
        manifest = Manifest(
            num_nodes=n,
            num_features=rows.shape[1],
            num_shards=num_shards,
            sparse=sparse.issparse(rows),
            dense=dense,
            background=check_probability(rho0, 'rho0'),
        )
        folders = [folder_of(Path(temporary), c) for c in range(len(size))]
        for path in folders:
            path.mkdir()
        member = np.argsort(label, kind='stable')
        border = np.concatenate([[0], np.cumsum(size)])
        local = np.empty(n, np.int32)
        local[member] = np.arange(n) - np.repeat(border[:-1], size)
        starts = range(0, edges.shape[1], CHUNK)
        for start in progress_bar(
            starts, 'pairs', disable=not progress, leave=False
        ):
            part = slice(start, start + CHUNK)
            piece = np.asarray(edges[:, part])
            if piece.min() < 0 or piece.max() >= n:
                raise ValueError(
                    f"'edge_index' must hold node ids in [0, {n - 1}], got "
                    f'ids from {piece.min()} to {piece.max()}'
                )
            some = values if logits is None else np.asarray(values[part])
            if not np.isfinite(some).all():
                raise ValueError("'logits' must be finite")
            scatter(folders, piece, some, label, local, dense)
        for c, path in enumerate(
            progress_bar(
                folders, 'clusters', disable=not progress, leave=False
            )
        ):
            node = member[border[c] : border[c + 1]]
            arrays = {'node': node, 'y': labels[node]}
            arrays |= {name: mask[node] for name, mask in masks.items()}
            arrays |= _features(rows[node])
            pairs = sort_raw(path, int(size.max()))
            _write(path, arrays | pairs, manifest)
            n_c = len(node)
            count = n_c * (n_c - 1) // 2 if dense else len(pairs['row'])
            manifest.sizes.append(n_c)
            manifest.pairs.append(count)
        # What was there before stays until all of this is whole:
        (folder / NAME).unlink(missing_ok=True)
        for path in _clusters(folder):
            rmtree(path)
        for path in folders:
            path.rename(folder / path.name)
    manifest.write(folder)
    return PartitionedGraph(folder)


def _clusters(folder: Path) -> list[Path]:
    r"""The clusters that are in a folder."""
    return [
        path
        for path in folder.glob('cluster-*')
        if re.fullmatch(r'cluster-\d{6,}', path.name) and path.is_dir()
    ]


def _check_kept(folder: Path, inputs: dict[str, Any]) -> None:
    r"""Expects that nothing is read from what is to be replaced."""
    clusters = [path.resolve() for path in _clusters(folder)]
    for name, value in inputs.items():
        if isinstance(value, np.memmap):
            value = value.filename
        if not isinstance(value, (str, os.PathLike)):
            continue
        path = Path(value)
        if set(clusters) & set(path.resolve().parents):
            raise ValueError(
                f"'{name}' must not be in the graph that is written over, "
                f'got {path}'
            )


def _features(rows: Any) -> dict[str, np.ndarray]:
    r"""Some rows of features, as they are stored."""
    if not sparse.issparse(rows):
        return {'x': np.ascontiguousarray(rows, np.float32)}
    return {
        'x_indptr': rows.indptr.astype(np.int64),
        'x_indices': rows.indices.astype(np.int32),
        'x_data': rows.data.astype(np.float32),
    }


def _write(
    path: Path, arrays: dict[str, np.ndarray], manifest: Manifest
) -> None:
    r"""Writes the files of one cluster, and counts what is in it."""
    checksum = sha256()
    for name, array in arrays.items():
        np.save(path / f'{name}.npy', array, allow_pickle=False)
        checksum.update(np.ascontiguousarray(array).data)
    values = arrays['x' if 'x' in arrays else 'x_data']
    if not np.isfinite(values).all():
        raise ValueError("'x' must be finite, got NaN or infinite values")
    labelled = arrays['y'][arrays['train'] | arrays['val']]
    if len(labelled) > 0 and labelled.min() < 0:
        raise ValueError(
            "'y' must be non-negative where a mask selects a node, got "
            f'{labelled.min()}'
        )
    highest = max([manifest.highest_class, *labelled.tolist()])
    manifest.highest_class = highest
    manifest.train.append(int(arrays['train'].sum()))
    manifest.val.append(int(arrays['val'].sum()))
    manifest.checksums.append(checksum.hexdigest()[:16])
