r"""How a sampled graph is passed to a PyG conv or model."""

from torch_geometric_vgcn.message_passing.call import ConvCall
from torch_geometric_vgcn.message_passing.edge_attributes import (
    EdgeAttributes,
    attributes_of,
    no_attributes,
)
from torch_geometric_vgcn.message_passing.edge_weights import EdgeWeights
from torch_geometric_vgcn.utils import SparseDropout
from torch_geometric_vgcn.utils.deprecated import former_names

__all__ = [
    'ConvCall',
    'EdgeWeights',
    'SparseDropout',
    'EdgeAttributes',
    'attributes_of',
    'no_attributes',
]

__getattr__ = former_names(
    __name__,
    {
        name: (__name__, 'ConvCall')
        for name in (
            'AdjacencyMatrix',
            'DenseAdjacency',
            'EdgeWeight',
            'KeptEdges',
            'MessageGate',
            'choose_route',
        )
    },
)
