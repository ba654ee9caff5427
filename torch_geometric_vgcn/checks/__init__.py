r"""Checks of what comes in from outside, one line each at the boundary: each
raises an error that names the argument, what came and what was expected.
"""

from torch_geometric_vgcn.checks.data import (
    check_data,
    check_features,
    check_labels,
    check_num_outputs,
    check_tensor,
    selected_nodes,
)
from torch_geometric_vgcn.checks.graph import (
    check_edge_index,
    check_node_id,
    check_num_nodes,
)
from torch_geometric_vgcn.checks.numbers import (
    check_count,
    check_positive,
    check_probability,
    check_share,
)
from torch_geometric_vgcn.checks.once import CheckOnce

__all__ = [
    'CheckOnce',
    'check_count',
    'check_data',
    'check_edge_index',
    'check_features',
    'check_labels',
    'check_node_id',
    'check_num_nodes',
    'check_num_outputs',
    'check_positive',
    'check_probability',
    'check_share',
    'check_tensor',
    'selected_nodes',
]
