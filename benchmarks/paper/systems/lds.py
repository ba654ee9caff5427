import torch
from torch import Tensor
from torch_geometric import seed_everything
from torch_geometric.data import Data

from systems.base import BestEpoch, Outcome, System
from systems.bernoulli_graph import BernoulliGraph
from systems.lds_inner import InnerProblem
from systems.lds_products import RecordedGraph, graph_gradient
from torch_geometric_vgcn.transforms import StratifiedSplit


class LDS(System):
    r"""Learning discrete structures, from the `"Learning Discrete Structures
    for Graph Neural Networks" <https://arxiv.org/abs/1903.11960>`_ paper:

    .. math::
        \min_{\boldsymbol{\theta} \in [0, 1]^{N (N - 1) / 2}}
        \mathbb{E}_{\mathbf{A} \sim \textrm{Ber}(\boldsymbol{\theta})}
        F(\mathbf{w}_{\boldsymbol{\theta}}, \mathbf{A})
        \quad \textrm{with} \quad
        \mathbf{w}_{\boldsymbol{\theta}} = \arg\min_{\mathbf{w}}
        \mathbb{E}_{\mathbf{A} \sim \textrm{Ber}(\boldsymbol{\theta})}
        L(\mathbf{w}, \mathbf{A})

    The inner steps train a GCN's weights on sampled graphs. After every
    :obj:`tau` steps, the edge probabilities of all pairs are updated by the
    gradient of the outer loss through those steps, with the straight-through
    estimator for the samples. Predictions are the mean over 16 graphs.

    The paper uses the training nodes for the inner problem and half of the
    validation nodes for the outer one. Here both are training nodes, so they
    are split at random within each class: a third for the inner problem,
    about the paper's share on the citation networks.
    """

    title = 'LDS'
    grid = {
        'lr': [0.01, 0.02],
        'outer_lr': [1.0, 5.0, 20.0],
        'weight_decay': [5e-4],
    }
    quick = {'lr': 0.02, 'outer_lr': 5.0, 'weight_decay': 5e-4}

    def train(
        self,
        data: Data,
        seed: int,
        lr: float,
        outer_lr: float,
        weight_decay: float,
        tau: int = 5,
        epochs: int = 80,
        patience: int = 40,
    ) -> Outcome:
        seed_everything(seed)
        generator = torch.Generator().manual_seed(seed)
        theta = BernoulliGraph.of_graph(
            data.edge_index, data.num_nodes, generator
        )
        inner_nodes, outer_nodes = split(data, seed)
        inner = InnerProblem(data.x, data.y, inner_nodes, lr, weight_decay)
        best = BestEpoch(data, patience)
        for _ in range(epochs):
            inner.cut()
            graphs = sample(theta, data.x, tau + 1)
            for graph in graphs[:-1]:
                inner.step(graph)
            loss = inner.loss(graphs[-1], outer_nodes)
            theta.descend(*graph_gradient(loss, graphs), outer_lr)
            with torch.no_grad():
                outs = inner.logits(sample(theta, data.x, 16))
                prob = torch.stack([out.softmax(-1) for out in outs]).mean(0)
            if not best.look(prob):
                break
        return best.outcome


def sample(
    theta: BernoulliGraph, x: Tensor, count: int
) -> list[RecordedGraph]:
    return [RecordedGraph(theta.sample(), x) for _ in range(count)]


def split(
    data: Data, seed: int, share: float = 1 / 3
) -> tuple[Tensor, Tensor]:
    r"""The nodes of the inner and of the outer problem."""
    nodes = data.train_mask.nonzero().view(-1)
    part = Data(y=data.y[nodes], num_nodes=nodes.numel())
    part = StratifiedSplit(share, 0, seed=seed)(part)
    return nodes[part.train_mask], nodes[part.test_mask]
