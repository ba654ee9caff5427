r"""Citeseer without its graph: the models to compare, and a training step of
each.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn import GCN, DenseGCNConv
from torch_geometric.transforms import Compose, NormalizeFeatures

from torch_geometric_vgcn import (
    AllPairs,
    FreePosterior,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.objective import IWELBO
from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.transforms import HalfValidation, KNNGraph

SAMPLES = 3
BETA = 0.01
Step = Callable[[], object]


class Straightforward(torch.nn.Module):
    r"""The paper's dense model in straightforward PyTorch and PyG."""

    def __init__(
        self, num_features: int, num_classes: int, edge_index: Tensor, n: int
    ) -> None:
        super().__init__()
        self.conv1 = DenseGCNConv(num_features, 16)
        self.conv2 = DenseGCNConv(16, num_classes)
        row, col = torch.triu_indices(n, n, offset=1)
        observed = torch.zeros(n, n)
        observed[edge_index[0], edge_index[1]] = 1.0
        prior = 1e-5 + (0.25 - 1e-5) * observed[row, col]
        prior = prior.logit()
        self.register_buffer('prior', prior)
        self.register_buffer('index', torch.stack([row, col]))
        self.logits = torch.nn.Parameter(prior.clone())
        self.num_nodes = n
        self.tau = torch.tensor(0.5)
        self.dropout = 0.5

    def loss(
        self, x: Tensor, y: Tensor, num_samples: int, beta: float
    ) -> Tensor:
        q = LogitRelaxedBernoulli(self.tau, logits=self.logits)
        p = LogitRelaxedBernoulli(self.tau, logits=self.prior)
        sample = q.rsample((num_samples,))
        kl = (q.log_prob(sample) - p.log_prob(sample)).sum(dim=-1)
        log_prob = torch.stack(
            [self.classify(x, edges.sigmoid(), y) for edges in sample]
        )
        num_labeled = log_prob.size(1)
        weight = log_prob - beta / num_labeled * kl.unsqueeze(1)
        bound = weight.logsumexp(dim=0) - math.log(num_samples)
        return -bound.mean()

    def classify(self, x: Tensor, edges: Tensor, y: Tensor) -> Tensor:
        out = self(x, edges)
        labeled = y >= 0
        return out[labeled].gather(1, y[labeled].view(-1, 1)).view(-1)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        row, col = self.index
        upper = x.new_zeros(self.num_nodes, self.num_nodes)
        upper = upper.index_put((row, col), edges)
        adj = upper + upper.t()
        h = self.conv1(x, adj).relu()
        h = torch.nn.functional.dropout(h, self.dropout, self.training)
        return self.conv2(h, adj).squeeze(0).log_softmax(dim=-1)


def load(name: str = 'CiteSeer', k: int = 20) -> Data:
    transform = Compose([NormalizeFeatures(), KNNGraph(k), HalfValidation()])
    data = transform(planetoid(name)[0])
    data.train = data.train_mask.nonzero().view(-1)
    return data


def gcn(data: Data) -> GCN:
    seed_everything(0)
    num_classes = int(data.y.max()) + 1
    return GCN(data.num_features, 16, 2, num_classes, dropout=0.5)


def learner(data: Data, dense: bool = False) -> VariationalGraphLearner:
    n = data.num_nodes
    pairs = AllPairs(n) if dense else None
    prior = SmoothedPrior(data.edge_index, n, pairs=pairs)
    objective = IWELBO(LogisticKL(), BETA)
    return VariationalGraphLearner(
        gcn(data), prior, FreePosterior(), objective=objective
    )


def along_messages(data: Data) -> VariationalGraphLearner:
    r"""The same model, with PyG's own :obj:`edge_weight`."""
    model = learner(data)
    model.route = _with_edge_weight
    return model


def _with_edge_weight(
    conv: GCN, x: Tensor, sample: GraphSample, attributes: object
) -> Tensor:
    outs = []
    for s in range(len(sample)):
        edge_index, edge_weight = sample.edges(s)
        outs.append(conv(x, edge_index, edge_weight=edge_weight))
    return torch.stack(outs)


def straightforward(data: Data) -> Straightforward:
    seed_everything(0)
    n, num_classes = data.num_nodes, int(data.y.max()) + 1
    return Straightforward(data.num_features, num_classes, data.edge_index, n)


def adam(model: torch.nn.Module) -> torch.optim.Adam:
    logits, weights = [], []
    for name, parameter in model.named_parameters():
        is_logit = name in ('logits', 'posterior.offset')
        (logits if is_logit else weights).append(parameter)
    groups = [
        {'params': weights, 'lr': 0.02, 'weight_decay': 5e-4},
        {'params': logits, 'lr': 0.01},
    ]
    return torch.optim.Adam(groups)


def training_step(model: torch.nn.Module, loss: Callable[[], Tensor]) -> Step:
    optimizer = adam(model)

    def step() -> None:
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()

    return step


def our_step(model: VariationalGraphLearner, data: Data, x: Tensor) -> Step:
    def loss() -> Tensor:
        out = model(x, num_samples=SAMPLES)
        return model.objective(out, data.y, data.train).loss

    return training_step(model, loss)


def straightforward_step(model: Straightforward, data: Data) -> Step:
    y = data.y.clone()
    y[~data.train_mask] = -1
    return training_step(model, lambda: model.loss(data.x, y, SAMPLES, BETA))


def bare_step(data: Data, x: Tensor) -> Step:
    model = gcn(data)

    def loss() -> Tensor:
        out = model(x, data.edge_index)[data.train]
        return torch.nn.functional.cross_entropy(out, data.y[data.train])

    return training_step(model, loss)
