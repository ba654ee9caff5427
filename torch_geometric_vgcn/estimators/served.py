from dataclasses import dataclass
from typing import Any

import torch
from sklearn.neighbors import NearestNeighbors
from torch import Tensor
from torch.nn.functional import linear

from torch_geometric_vgcn.estimators.as_numpy import as_numpy
from torch_geometric_vgcn.estimators.settings import Nearest
from torch_geometric_vgcn.estimators.task import Task
from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.posterior import ClassPosterior
from torch_geometric_vgcn.posterior.classes import class_term
from torch_geometric_vgcn.prior import SmoothedPrior
from torch_geometric_vgcn.prior.base import logit

#: How many rows are predicted at a time.
BLOCK = 4096


@dataclass
class Served:
    r"""What predictions for unseen rows need, as plain tensors in double
    precision. Each row joins its nearest training rows, with the edge
    probabilities of the prior and the class posterior; the training rows
    don't notice, and the new rows don't see each other:

    .. math::
        \mathbf{h}_q^{(k)} = (1 - \alpha) \Big( \sum_j \frac{p_{qj}}{\sqrt{d_q
        d_j}} \mathbf{h}_j^{(k-1)} + \frac{1}{d_q} \mathbf{h}_q^{(k-1)} \Big)
        + \alpha \mathbf{h}_q^{(0)}, \quad d_q = 1 + \sum_j p_{qj}.

    Args:
        weights (Dict[str, Tensor]): The network's weights.
        alpha (float): The weight of a row's own output in each step.
        temperature (float): The temperature of the predictions.
        joined (Joined, optional): The training rows and their graph.
            (default: :obj:`None`)
    """

    weights: dict[str, Tensor]
    alpha: float
    temperature: float
    joined: 'Joined | None' = None

    @torch.no_grad()
    def __call__(self, x: Tensor) -> Tensor:
        r"""The class probabilities, of shape :obj:`[N, C]`."""
        out = [self._predict(x, rows) for rows in _blocks(x.size(0))]
        prob = (torch.cat(out) / self.temperature).softmax(dim=-1)
        return prob

    def _predict(self, x: Tensor, rows: Tensor) -> Tensor:
        x = _select(x, rows)
        own = self._own(x)
        if self.joined is None:
            return own
        return self.joined(x, own, self.alpha)

    def _own(self, x: Tensor) -> Tensor:
        r"""What the network says of each row by itself."""
        weights = self.weights
        if x.layout == torch.strided:
            h = linear(x, weights['hidden.weight'], weights['hidden.bias'])
        else:
            h = x @ weights['hidden.weight'].t() + weights['hidden.bias']
        return linear(h.relu(), weights['out.weight'], weights['out.bias'])


@dataclass
class Joined:
    r"""The training rows that unseen ones join.

    Args:
        x (Tensor): Their features.
        state (Tensor): Their state before each step, of shape
            :obj:`[K, N, C]`.
        degree (Tensor): Their degrees, with the self-loop.
        prob (Tensor): Their class probabilities.
        k (int): The number of neighbours.
        bias (float): The logit of an edge of mean similarity.
        weight (float): The weight of similarity.
        mean (float): The mean similarity.
        scale (float): Its standard deviation.
        homophily (float): That of the class posterior.
        counts (bool): Whether similarity is the cosine.
    """

    x: Tensor
    state: Tensor
    degree: Tensor
    prob: Tensor
    k: int
    bias: float
    weight: float
    mean: float
    scale: float
    homophily: float
    counts: bool

    def __post_init__(self) -> None:
        self.search = NearestNeighbors(n_neighbors=self.k).fit(
            as_numpy(self.x)
        )

    def __call__(self, x: Tensor, own: Tensor, alpha: float) -> Tensor:
        if x.layout != self.x.layout:
            dense = self.x.layout == torch.strided
            x = x.to_dense() if dense else x.to_sparse_csr()
        distance, near = self.search.kneighbors(as_numpy(x))
        distance, near = torch.from_numpy(distance), torch.from_numpy(near)
        prob = self._edge_probs(distance, near, own)
        degree = 1 + prob.sum(dim=1, keepdim=True)
        weight = prob / (degree * self.degree[near]).sqrt()
        out = own
        for state in self.state:
            # One row at a time gives the same bits as many:
            found = (weight.unsqueeze(-1) * state[near]).sum(dim=1)
            out = (1 - alpha) * (found + out / degree) + alpha * own
        return out

    def _edge_probs(
        self, distance: Tensor, near: Tensor, own: Tensor
    ) -> Tensor:
        value = -distance
        if self.counts:  # of rows of norm one
            value = 1 - distance.square() / 2
        logits = self.bias + self.weight * (value - self.mean) / self.scale
        same = (own.softmax(dim=-1).unsqueeze(1) * self.prob[near]).sum(-1)
        term = class_term(same, self.prob, self.homophily)
        return (logits + term).sigmoid()


@torch.no_grad()
def served(
    task: Task,
    model: VariationalGraphLearner | FixedGraph,
    joins: Nearest | None,
    temperature: float,
) -> Served:
    r"""What a trained model needs to serve."""
    network: Any = model.conv
    assert isinstance(network, PropagatedMLP)
    names = ('hidden.weight', 'hidden.bias', 'out.weight', 'out.bias')
    state = network.state_dict()
    weights = {name: state[name].double().cpu() for name in names}
    alpha = network.propagate.alpha
    out = Served(weights, alpha, temperature)
    if joins is None or not isinstance(model, VariationalGraphLearner):
        return out
    x = task.x.double()
    own = torch.cat([out._own(_select(x, b)) for b in _blocks(x.size(0))])
    row, col = model.prior.pairs.index
    prob = model.posterior(model.prior, task.x).double().sigmoid()
    degree = torch.ones(x.size(0), dtype=torch.double)
    degree.index_add_(0, row, prob).index_add_(0, col, prob)
    size = degree.rsqrt()
    adj = torch.sparse_coo_tensor(
        torch.stack([torch.cat([row, col]), torch.cat([col, row])]),
        (prob * size[row] * size[col]).repeat(2),
        (x.size(0), x.size(0)),
        check_invariants=False,
    ).coalesce()
    states = [own]
    for _ in range(network.propagate.K - 1):
        last = states[-1]
        near = adj @ last + last / degree.unsqueeze(1)
        states.append((1 - alpha) * near + alpha * own)
    # The similarity of neighbours, also if the given graph has other edges:
    pairs = SmoothedPrior(task.nearest(joins.k), x.size(0))
    value = task.similarity(pairs).double()
    least = 1e-3 * value.abs().max() + 1e-12
    posterior: Any = model.posterior
    assert isinstance(posterior, ClassPosterior)
    out.joined = Joined(
        x,
        torch.stack(states),
        degree,
        posterior.prob.double(),
        min(joins.k, x.size(0)),
        logit(joins.rho1),
        joins.evidence,
        float(value.mean()),
        float(value.std(correction=0).clamp(min=least)),
        posterior.homophily,
        task.counts,
    )
    return out


def _blocks(size: int) -> tuple[Tensor, ...]:
    return torch.arange(size).split(BLOCK)


def _select(x: Tensor, rows: Tensor) -> Tensor:
    if rows.numel() == x.size(0):
        return x
    if x.layout == torch.strided:
        return x[rows]
    return x.to_sparse_coo().index_select(0, rows).to_sparse_csr()
