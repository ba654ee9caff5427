r"""Checks of what comes in from outside, one line each at the boundary: each
raises an error that names the argument, what came and what was expected.
"""

from torch_geometric_vgcn.checks.data import (
    check_attributes,
    check_class_probs,
    check_features,
    check_labels,
    check_num_outputs,
    selected_nodes,
)
from torch_geometric_vgcn.checks.explained import explained
from torch_geometric_vgcn.checks.graph import (
    check_edge_index,
    check_node_id,
    check_node_mask,
    check_num_nodes,
    count_nodes,
)
from torch_geometric_vgcn.checks.inputs import Inputs
from torch_geometric_vgcn.checks.kind import (
    check_callable,
    check_floats,
    check_kind,
    check_path,
    check_tensor,
)
from torch_geometric_vgcn.checks.numbers import (
    check_count,
    check_flag,
    check_nonnegative,
    check_number,
    check_positive,
    check_probability,
    check_seed,
    check_share,
)
from torch_geometric_vgcn.checks.once import CheckOnce

__all__ = [
    'CheckOnce',
    'Inputs',
    'check_attributes',
    'check_callable',
    'check_class_probs',
    'check_count',
    'check_edge_index',
    'check_features',
    'check_flag',
    'check_floats',
    'check_kind',
    'check_labels',
    'check_nonnegative',
    'check_node_id',
    'check_node_mask',
    'check_num_nodes',
    'check_number',
    'check_path',
    'check_num_outputs',
    'check_positive',
    'check_probability',
    'check_seed',
    'check_share',
    'check_tensor',
    'selected_nodes',
    'count_nodes',
    'explained',
]
