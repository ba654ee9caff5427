r"""Networks that make the most of sampled graphs."""

from torch_geometric_vgcn.models.graph_sage import GraphSAGE
from torch_geometric_vgcn.models.label_propagation import (
    LabelPropagation,
    ValuePropagation,
)
from torch_geometric_vgcn.models.propagated_mlp import PropagatedMLP

__all__ = [
    'GraphSAGE',
    'LabelPropagation',
    'PropagatedMLP',
    'ValuePropagation',
]
