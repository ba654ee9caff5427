from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data

from torch_geometric_vgcn.nearest import Cells, Metric
from torch_geometric_vgcn.objective import KL, Objective, SemiSupervisedELBO
from torch_geometric_vgcn.posterior import Posterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.recipe.features import Features
from torch_geometric_vgcn.transforms import KNNGraph
from torch_geometric_vgcn.utils import check_kind

MakeNetwork = Callable[['Task'], Module]
MakePrior = Callable[['Task', Tensor], Prior]
MakePosterior = Posterior | Callable[[], Posterior]
MakeObjective = Callable[[KL], Objective]

#: Up to how many rows all of them are compared with each other.
EXACT = 20_000


def near_cells(x: Tensor, k: int, metric: Metric) -> Tensor:
    r"""The nearest of many rows, in time that grows with their number. Scaled
    counts have a norm of one: their distances are in the order of cosines.
    """
    return Cells(x).nearest(x, k, own=True)[1]


@dataclass(frozen=True)
class Task:
    r"""The prepared data, from which a member makes its learner.

    Args:
        x (Tensor): The scaled features, dense, of shape :obj:`[N, F]`.
        y (Tensor): The labels, :obj:`-1` where unknown.
        train (Tensor): The nodes to train with.
        val (Tensor, optional): The nodes to validate with. (default:
            :obj:`None`, folds of the others)
        num_classes (int): The number of classes.
        class_share (Tensor): How frequent each class is, in any unit.
        features (Features): How features were scaled and are compared.
        edge_index (Tensor, optional): The given graph, in both directions and
            without self-loops. (default: :obj:`None`)
        network (Callable, optional): Makes the network of members that have
            none of their own. (default: :obj:`None`)
        warmup (int, optional): That of the bound. (default: :obj:`50`)
        scaler (Callable, optional): How the features of further nodes are
            scaled. (default: :obj:`None`)
        num_columns (int, optional): How many features they have before that.
            (default: :obj:`0`)
        prior (Callable, optional): Makes the prior of learned members.
            (default: :obj:`None`, one of their own)
        posterior (Posterior or Callable, optional): Theirs, or what makes it.
            (default: :obj:`None`, that of a learner)
        bound (Callable, optional): Makes the objective of all members.
            (default: :obj:`None`, :class:`SemiSupervisedELBO`)
        node_names (Sequence, optional): The names of the nodes.
            (default: :obj:`None`, numbers)
    """

    x: Tensor
    y: Tensor
    train: Tensor
    val: Tensor | None
    num_classes: int
    class_share: Tensor
    features: Features
    edge_index: Tensor | None = None
    network: MakeNetwork | None = None
    warmup: int = 50
    scaler: Callable[[Tensor], Tensor] | None = None
    num_columns: int = 0
    prior: MakePrior | None = None
    posterior: MakePosterior | None = None
    bound: MakeObjective | None = None
    node_names: Sequence[str | int] | None = None
    # Shared by the tasks of all folds:
    known: dict[tuple[int, str], Tensor] = field(default_factory=dict)

    @property
    def num_nodes(self) -> int:
        return self.x.size(0)

    @property
    def quantity(self) -> bool:
        r"""Whether labels are numbers instead of classes."""
        return self.y.is_floating_point()

    @property
    def value(self) -> Tensor:
        r"""The labels as what is expected of nodes, of shape
        :obj:`[N, C]`, with zeros where unknown.
        """
        if self.quantity:
            return self.y.nan_to_num(0.0).to(self.x.dtype).unsqueeze(1)
        known = torch.eye(self.num_classes + 1, self.num_classes)
        return known.to(self.x)[self.y]  # the last row for -1

    @property
    def num_features(self) -> int:
        return self.x.size(1)

    @cached_property
    def fast_x(self) -> Tensor:
        r"""The features as :class:`PropagatedMLP` multiplies them fastest."""
        return self.features.layout(self.x)

    @cached_property
    def index(self) -> Cells:
        r"""The index of the nearest nodes: exact for a small table."""
        small = self.num_nodes <= EXACT
        return Cells(self.x, self.num_nodes) if small else Cells(self.x)

    def neighbors(self, k: int, metric: Metric) -> Tensor:
        r"""The graph of nearest neighbours, computed once."""
        key = k, repr(metric)
        if key not in self.known:
            k = min(k, self.num_nodes - 1)
            search = near_cells if self.num_nodes > EXACT else None
            graph = KNNGraph(k, metric=metric, search=search)
            graph = graph(Data(x=self.x))
            self.known[key] = graph.edge_index
        return self.known[key]

    def objective(self, kl: KL) -> Objective:
        r"""The bound."""
        if self.bound is not None:
            bound = self.bound(kl)
            check_kind(bound, Objective, 'objective(kl)')
            return bound
        return SemiSupervisedELBO(
            kl, warmup=self.warmup, class_share=self.class_share
        )

    def make_posterior(self) -> Posterior | None:
        r"""A new posterior, or :obj:`None` for that of a learner."""
        if isinstance(self.posterior, Posterior):
            return deepcopy(self.posterior)
        if self.posterior is None:
            return None
        posterior = self.posterior()
        check_kind(posterior, Posterior, 'posterior()')
        return posterior

    def split(self, train: Tensor, val: Tensor | None) -> 'Task':
        r"""The same with other nodes for training and validation."""
        return replace(self, train=train, val=val)
