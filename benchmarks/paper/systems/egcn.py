import copy

import torch
from torch import Tensor
from torch.nn import Module, Parameter
from torch.nn.functional import one_hot
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.utils import coalesce

from benchmarks.paper.systems.base import (
    Outcome,
    System,
    num_classes,
    with_fast_features,
)
from benchmarks.paper.systems.bernoulli_graph import BernoulliGraph
from benchmarks.paper.systems.gcn import gcn
from torch_geometric_vgcn import FixedGraph, evaluate, fit
from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.utils import Triangle, pair_at


class EGCN(System):
    r"""The Bayesian GCN of the `"Bayesian Graph Convolutional Neural Networks
    for Semi-Supervised Classification" <https://arxiv.org/abs/1811.11103>`_
    paper, an ensemble over graphs and weights:

    .. math::
        p(\mathbf{Z} | \mathbf{X}, \mathbf{Y}, \mathbf{A}) \approx
        \frac{1}{G S} \sum_{g, s} p(\mathbf{Z} | \mathbf{W}_{g, s},
        \mathbf{A}_g, \mathbf{X}), \quad
        \mathbf{A}_g \sim p(\mathbf{A} | \hat{\boldsymbol{\pi}},
        \hat{\boldsymbol{\beta}}, \hat{\delta})

    A GCN on the observed graph gives the initial weights. The block model has
    a community for each class and starts from the GCN's predictions: nine
    tenths of a node's membership are in the predicted class, the rest is
    spread evenly. (The class probabilities themselves are too uniform for the
    model to find the communities.) For each graph sampled from the fitted
    block model a separate GCN is trained, whose weights are sampled by
    dropout.
    """

    title = 'EGCN'
    settings = ({'lr': 0.01, 'weight_decay': 5e-4},)

    def train(
        self,
        data: Data,
        seed: int,
        lr: float,
        weight_decay: float,
        epochs: int = 400,
        graph_epochs: int = 50,
        num_graphs: int = 10,
        num_samples: int = 5,
    ) -> Outcome:
        seed_everything(seed)
        generator = torch.Generator().manual_seed(seed)
        data = with_fast_features(data)
        options = {'lr': lr, 'weight_decay': weight_decay, 'progress': False}
        classes = num_classes(data)
        net = gcn(data)
        model = FixedGraph(net, data.edge_index)
        fit(model, data, epochs=epochs, **options)
        label = model.predict(data.x).argmax(dim=1)
        membership = 0.9 * one_hot(label, classes) + 0.1 / classes
        blocks = AssortativeMMSBM(membership, data.edge_index)
        blocks.fit(generator)
        prob = blocks.probabilities()
        graphs = BernoulliGraph(prob, data.num_nodes, generator)
        outs = []
        for _ in range(num_graphs):
            pairs = graphs.sample()
            edge_index = torch.cat([pairs, pairs.flip(0)], dim=1)
            model = FixedGraph(copy.deepcopy(net), edge_index)
            fit(model, data, epochs=graph_epochs, **options)
            model.train()  # for its dropout
            with torch.no_grad():
                outs += [model(data.x).softmax(-1) for _ in range(num_samples)]
        mean = torch.stack(outs).mean(dim=0)
        accuracy, _ = evaluate(mean, data.y, data.val_mask)
        return Outcome(mean, accuracy, num_graphs - 1)


class AssortativeMMSBM(Module):
    r"""The assortative mixed-membership stochastic block model of the
    `"Scalable MCMC for Mixed Membership Stochastic Blockmodels"
    <https://arxiv.org/abs/1510.04815>`_ paper. Each node takes a community
    for each of its pairs, and two nodes are joined with the probability
    :math:`\beta_k` if both take community :math:`k`, otherwise with
    :math:`\delta`:

    .. math::
        p(A_{ij} = 1) = \sum_k \pi_{ik} \pi_{jk} \beta_k +
        \Big( 1 - \sum_k \pi_{ik} \pi_{jk} \Big) \delta

    with the priors :math:`\boldsymbol{\pi}_i \sim \textrm{Dir}(\alpha)` and
    :math:`\beta_k \sim \textrm{Beta}(\eta, \eta)`.

    Args:
        membership (Tensor): The initial memberships
            :math:`\boldsymbol{\pi}`, of shape :obj:`[N, K]`; all positive.
        edge_index (Tensor): The observed graph.
        alpha (float, optional): The prior of memberships.
            (default: :obj:`1.0`, which is flat)
        eta (float, optional): The prior of strengths.
            (default: :obj:`1.0`, which is flat)
    """

    def __init__(
        self,
        membership: Tensor,
        edge_index: Tensor,
        alpha: float = 1.0,
        eta: float = 1.0,
    ) -> None:
        super().__init__()
        self.num_nodes = membership.size(0)
        self.alpha = alpha
        self.eta = eta
        row, col = coalesce(edge_index, num_nodes=self.num_nodes)
        self.edges = torch.stack([row, col])[:, row < col]
        self.is_edge = AllPairs(self.num_nodes).contains(self.edges)
        # Initial strengths: the densities of the parts of the graph.
        size = membership.sum(dim=0)
        inside = (size.square() - membership.square().sum(dim=0)) / 2
        left, right = membership[self.edges]
        within = (left * right).sum(dim=0)
        rest = self.is_edge.numel() - inside.sum()
        across = (self.edges.size(1) - within.sum()) / rest
        self.membership_logit = Parameter(membership.log())
        self.strength_logit = Parameter(_logit(within / inside))
        self.across_logit = Parameter(_logit(across))

    @property
    def membership(self) -> Tensor:
        return self.membership_logit.softmax(dim=1)

    def probability(self, pairs: Tensor) -> Tensor:
        r"""The probabilities of some pairs, of shape :obj:`[2, P]`."""
        left, right = self.membership[pairs]
        across = self.across_logit.sigmoid()
        extra = self.strength_logit.sigmoid() - across
        return (left * right) @ extra + across

    @torch.no_grad()
    def probabilities(self) -> Tensor:
        r"""The probabilities of all pairs, in the order of
        :class:`~torch_geometric_vgcn.AllPairs`.
        """
        across = self.across_logit.sigmoid()
        left = self.membership * (self.strength_logit.sigmoid() - across) / 2
        triangle = Triangle(self.num_nodes, left.device)
        return triangle.dot(left[None], self.membership[None])[0] + across

    def log_joint(self, others: Tensor) -> Tensor:
        r"""The logarithm of the joint density of the observed graph, the
        memberships and the strengths, up to a constant.

        Args:
            others (Tensor): Pairs that aren't edges, of shape
                :obj:`[2, P]`: all of them, or a random sample.
        """
        num_others = self.is_edge.numel() - self.edges.size(1)
        none = torch.log1p(-self.probability(others)).mean() * num_others
        likelihood = self.probability(self.edges).log().sum() + none
        log_membership = self.membership_logit.log_softmax(dim=1)
        strength = self.strength_logit.sigmoid()
        log_strength = (strength * (1 - strength)).log()
        return (
            likelihood
            + (self.alpha - 1) * log_membership.sum()
            + (self.eta - 1) * log_strength.sum()
        )

    def fit(
        self,
        generator: torch.Generator,
        steps: int = 200,
        lr: float = 0.02,
        batch_size: int = 50_000,
    ) -> None:
        r"""Finds the most probable memberships and strengths, with all edges
        and a sample of other pairs in each step.
        """
        total = self.is_edge.numel()
        batch_size = min(batch_size, total)
        adam = torch.optim.Adam(self.parameters(), lr=lr)
        schedule = torch.optim.lr_scheduler.LinearLR(adam, 1.0, 0.0, steps)
        for _ in range(steps):
            place = torch.randint(total, (batch_size,), generator=generator)
            others = pair_at(place[~self.is_edge[place]], self.num_nodes)
            adam.zero_grad()
            (-self.log_joint(others)).backward()
            adam.step()
            schedule.step()


def _logit(prob: Tensor) -> Tensor:
    return prob.clamp(1e-6, 1 - 1e-6).logit()
