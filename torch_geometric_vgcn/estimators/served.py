from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import linear

from torch_geometric_vgcn.estimators.alternation import Explained
from torch_geometric_vgcn.estimators.settings import Nearest
from torch_geometric_vgcn.estimators.targets import Targets
from torch_geometric_vgcn.estimators.task import Task, cells_of
from torch_geometric_vgcn.nearest import Cells
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.prior.base import logit

#: How many rows are predicted at a time.
BLOCK = 4096


@dataclass
class Served:
    r"""What predictions for unseen rows need, as plain tensors. Each row
    joins its nearest training rows, with the edge probabilities of the prior
    and of what is expected of both ends; the training rows don't notice, and
    the new rows don't see each other:

    .. math::
        \mathbf{m}_q = \frac{\mathbf{f}_q + \sum_j q_{qj}
        \mathbf{m}_j}{1 + \sum_j q_{qj}}.

    Args:
        weights (Dict[str, Tensor]): The network's weights, in double
            precision.
        targets (Targets): What is predicted.
        joined (Joined, optional): The training rows and their graph.
            (default: :obj:`None`)
    """

    weights: dict[str, Tensor]
    targets: Targets
    joined: 'Joined | None' = None

    @torch.no_grad()
    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        r"""What is expected of each row, and how much of it is uncertain
        because the graph is: the variance over graphs, each of shape
        :obj:`[N, D]`.
        """
        parts = [self._predict(part) for part in x.split(BLOCK)]
        mean, variance = zip(*parts, strict=True)
        return torch.cat(mean), torch.cat(variance)

    def _predict(self, x: Tensor) -> tuple[Tensor, Tensor]:
        weights = self.weights
        h = linear(x, weights['hidden.weight'], weights['hidden.bias']).relu()
        own = linear(h, weights['out.weight'], weights['out.bias'])
        own = self.targets.mean(own)
        if self.joined is None:
            return own, torch.zeros_like(own)
        return self.joined(x, own, self.targets)


@dataclass
class Joined:
    r"""The training rows that unseen ones join.

    Args:
        x (Tensor): Their features, of shape :obj:`[N, F]`.
        mean (Tensor): What is expected of them, of shape :obj:`[N, D]`.
        k (int): The number of neighbours.
        bias (float): The logit of an edge of mean similarity.
        weight (float): The weight of similarity.
        average (float): The mean similarity.
        scale (float): Its standard deviation.
        learn (bool): Whether edges are learned.
    """

    x: Tensor
    mean: Tensor
    k: int
    bias: float
    weight: float
    average: float
    scale: float
    learn: bool
    cells: Cells = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.cells = cells_of(self.x)

    def __call__(
        self, x: Tensor, own: Tensor, targets: Targets
    ) -> tuple[Tensor, Tensor]:
        distance, near = self.cells.nearest(x.to(self.x), self.k)
        logits = (-distance - self.average) / self.scale * self.weight
        there = self.mean[near].double()  # [Q, k, D]
        if self.learn:
            term = targets.joining_term(own, there, self.mean)
            logits = logits + term
        prob = (self.bias + logits).sigmoid()
        total = 1 + prob.sum(dim=1, keepdim=True)
        weighted = (prob.unsqueeze(-1) * there).sum(dim=1)
        mean = (own + weighted) / total
        # By the delta method, for edges that are there or not:
        part = (prob * (1 - prob)).unsqueeze(-1)
        spread = (there - mean.unsqueeze(1)).square()
        return mean, (part * spread).sum(dim=1) / total.square()


def served(
    task: Task,
    state: Explained,
    joins: Nearest | None,
    learn: bool,
) -> Served:
    r"""What a trained model needs to serve."""
    names = ('hidden.weight', 'hidden.bias', 'out.weight', 'out.bias')
    saved = state.network.state_dict()
    out = Served({name: saved[name].double() for name in names}, task.targets)
    if joins is None or state.logits is None:
        return out
    # The similarity of neighbours, also if the given graph has other edges:
    pairs = Candidates(task.nearest(joins.k), task.num_rows)
    value = task.similarity(pairs).double()
    least = 1e-3 * value.abs().max() + 1e-12
    out.joined = Joined(
        task.x,
        state.mean,
        min(joins.k, task.num_rows),
        logit(joins.rho1),
        joins.evidence,
        float(value.mean()),
        float(value.std(correction=0).clamp(min=least)),
        learn,
    )
    return out
