r"""How a sampled graph is passed to a PyG conv or model."""

from typing import Any

from torch_geometric_vgcn.message_passing import deprecated
from torch_geometric_vgcn.message_passing.call import ConvCall
from torch_geometric_vgcn.message_passing.deprecated import (
    AdjacencyMatrix,
    DenseAdjacency,
    EdgeWeight,
    KeptEdges,
    MessageGate,
    choose_route,
)
from torch_geometric_vgcn.message_passing.edge_attributes import (
    EdgeAttributes,
    attributes_of,
)
from torch_geometric_vgcn.message_passing.edge_weights import EdgeWeights
from torch_geometric_vgcn.message_passing.way import no_attributes
from torch_geometric_vgcn.utils import SparseDropout

__all__ = [
    'ConvCall',
    'EdgeWeights',
    'SparseDropout',
    'EdgeAttributes',
    'attributes_of',
    'no_attributes',
    'AdjacencyMatrix',
    'DenseAdjacency',
    'EdgeWeight',
    'KeptEdges',
    'MessageGate',
    'choose_route',
]


def __getattr__(name: str) -> Any:
    return getattr(deprecated, name)
