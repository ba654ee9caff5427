r"""Citeseer without its graph: the models to compare, and a training step of
each.
"""

from collections.abc import Callable

import torch
from straightforward import Straightforward
from torch import Tensor
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn import GCN
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
