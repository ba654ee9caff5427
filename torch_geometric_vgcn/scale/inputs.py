r"""What a graph on disk is made of, read and checked."""

import os
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.utils import (
    check_edge_shape,
    check_path,
    selected_nodes,
)


def as_array(value: Any, name: str) -> np.ndarray:
    r"""An array, a tensor's memory, or an :obj:`.npy` file as memory map."""
    if isinstance(value, Tensor):
        if value.layout != torch.strided:
            raise TypeError(f"'{name}' must be dense, got {value.layout}")
        return value.detach().cpu().numpy()
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (str, os.PathLike)):
        path = check_path(value, name)
        try:
            return np.load(path, mmap_mode='r', allow_pickle=False)
        except (OSError, ValueError) as error:
            raise ValueError(
                f"'{name}' must be a readable .npy file, got {path}: {error}"
            ) from error
    raise TypeError(
        f"'{name}' must be a Tensor, an array or the path of an .npy file, "
        f'got {type(value).__name__}'
    )


def as_rows(x: Any) -> np.ndarray | sparse.csr_matrix:
    r"""Features that can be indexed by rows. Memory maps stay so."""
    if isinstance(x, Tensor) and x.layout != torch.strided:
        x = x.to_sparse_coo().coalesce()
        x = sparse.coo_matrix((x.values(), x.indices()), tuple(x.shape))
    x = x.tocsr() if sparse.issparse(x) else as_array(x, 'x')
    if x.ndim != 2:
        raise ValueError(f"'x' must have shape [N, F], got {list(x.shape)}")
    if not np.issubdtype(x.dtype, np.floating):
        raise TypeError(f"'x' must be floating point, got {x.dtype}")
    return x


def read_edges(edge_index: Any) -> np.ndarray:
    edges = as_array(edge_index, 'edge_index')
    check_edge_shape(edges.shape)
    if edges.shape[1] == 0:
        raise ValueError(
            "'edge_index' is an empty graph, expected at least one edge"
        )
    if edges.dtype not in (np.int64, np.int32):
        raise TypeError(
            f"'edge_index' must hold int64 or int32, got {edges.dtype}"
        )
    return edges


def read_labels(y: Any, num_nodes: int) -> np.ndarray:
    labels = as_array(y, 'y')
    if (
        labels.ndim == 0
        or len(labels) != num_nodes
        or not (labels.dtype == np.int64 or labels.dtype.kind == 'f')
    ):
        raise ValueError(
            "'y' must hold int64 class ids or floating-point labels, one row "
            f'for each of the {num_nodes} nodes, got {labels.dtype} of shape '
            f'{list(labels.shape)}'
        )
    return labels


def read_mask(mask: Any, num_nodes: int, name: str) -> np.ndarray:
    nodes = torch.from_numpy(np.array(as_array(mask, name)))
    out = np.zeros(num_nodes, bool)
    out[selected_nodes(nodes, num_nodes, name).numpy()] = True
    return out


def read_clusters(
    cluster: Any, num_parts: int | None, edges: np.ndarray, num_nodes: int
) -> np.ndarray:
    r"""The cluster of each node: given, or from METIS."""
    if (cluster is None) == (num_parts is None):
        raise ValueError(
            "expected either 'num_parts' or 'cluster', got "
            f'{"neither" if cluster is None else "both"}'
        )
    if num_parts is not None:
        graph = Data(
            edge_index=torch.from_numpy(np.array(edges)),
            num_nodes=num_nodes,
        )
        parts = ClusterData(graph, num_parts, log=False)
        return parts.cluster.numpy().astype(np.int32)
    label = as_array(cluster, 'cluster')
    if label.shape != (num_nodes,) or label.dtype.kind not in 'iu':
        raise ValueError(
            "'cluster' must hold one integer for each of the "
            f'{num_nodes} nodes, got {label.dtype} of shape '
            f'{list(label.shape)}'
        )
    if label.min() < 0 or label.max() >= num_nodes:
        raise ValueError(
            "'cluster' must hold numbers from 0 on, got numbers from "
            f'{label.min()} to {label.max()}'
        )
    return label.astype(np.int32)
