r"""One call: members, their weights, predictions and the learned graph."""

from torch_geometric_vgcn.recipe.effort import Effort
from torch_geometric_vgcn.recipe.features import (
    Counts,
    Features,
    Measurements,
)
from torch_geometric_vgcn.recipe.members import (
    FixedMember,
    LearnedMember,
    Member,
)
from torch_geometric_vgcn.recipe.sources import (
    gcn,
    given_graph,
    graph_sage,
    more_neighbors,
    nearest_neighbors,
    no_graph,
    propagated_mlp,
)
from torch_geometric_vgcn.recipe.task import Task
from torch_geometric_vgcn.recipe.taught import TaughtMember, table_members
from torch_geometric_vgcn.recipe.vgcn import VGCN

__all__ = [
    'Counts',
    'Effort',
    'Features',
    'FixedMember',
    'LearnedMember',
    'Measurements',
    'Member',
    'TaughtMember',
    'Task',
    'VGCN',
    'gcn',
    'given_graph',
    'graph_sage',
    'more_neighbors',
    'nearest_neighbors',
    'no_graph',
    'propagated_mlp',
    'table_members',
]
