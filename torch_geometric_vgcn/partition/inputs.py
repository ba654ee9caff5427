r"""What a partitioned graph is made of, checked."""

from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.partition.features import as_array
from torch_geometric_vgcn.utils import check_edge_shape, selected_nodes


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
    if labels.shape != (num_nodes,) or labels.dtype != np.int64:
        raise ValueError(
            f"'y' must hold one int64 class id for each of the {num_nodes} "
            f'nodes, got {labels.dtype} of shape {list(labels.shape)}'
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
            edge_index=torch.from_numpy(np.asarray(edges)),
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
