from copy import copy

from torch.nn import Module
from torch_geometric.data import Data

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.training import fit
from torch_geometric_vgcn.transforms.split import labels_of
from torch_geometric_vgcn.utils import (
    check_attributes,
    check_features,
    count_nodes,
)


def num_inputs(data: Data) -> tuple[int, int]:
    r"""The number of features and of classes."""
    num_nodes = count_nodes(data)
    check_attributes(data, 'x', 'y', 'train_mask', 'edge_index')
    check_features(data.x, num_nodes, 'data.x')
    if data.x.dim() != 2:
        raise ValueError(
            f"'data.x' must have shape [N, F], got {list(data.x.shape)}"
        )
    num_classes = int(labels_of(data).max()) + 1
    if num_classes < 2:
        raise ValueError("'data.y' must hold at least two classes, got one")
    return data.x.size(1), num_classes


def trained(network: Module, data: Data, epochs: int) -> Module:
    r"""Trains a network on the graph as it is, and leaves it in evaluation
    mode and in its best state by :obj:`data.val_mask`, or by the training
    nodes if there is none.
    """
    if data.get('val_mask') is None:
        data = copy(data)
        data.val_mask = data.train_mask
    network = network.to(data.x.device, data.x.dtype)
    learner = FixedGraph(network, data.edge_index)
    fit(learner, data, epochs=epochs, progress=False)
    return network.eval()
