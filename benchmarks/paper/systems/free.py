from functools import partial
from typing import Any

from torch import Tensor
from torch.nn import Module
from torch.optim import SGD, Adam
from torch_geometric import nn, seed_everything
from torch_geometric.data import Data

from benchmarks.paper.systems.base import (
    LearnedGraph,
    Outcome,
    System,
    num_classes,
    with_fast_features,
)
from benchmarks.paper.systems.recipe import HIDDEN, NUM_SAMPLES, with_unit_rows
from torch_geometric_vgcn import (
    FreePosterior,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.message_passing import SparseDropout
from torch_geometric_vgcn.objective import IWELBO


class FreeSGD(System):
    r"""One free logit per edge, learned from labels alone by momentum SGD,
    with the smoothed prior and a GCN with dropout of its input.
    """

    title = 'Free logits: SGD'
    settings = ({'rho1': 0.5},)
    options: dict[str, Any] = {
        'logit_optimizer': partial(SGD, momentum=0.9),
        'logit_lr': 100.0,
    }
    learns = True

    def train(
        self, data: Data, seed: int, rho1: float, epochs: int = 200
    ) -> Outcome:
        seed_everything(seed)
        data = with_fast_features(with_unit_rows(data))
        prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1)
        learner = VariationalGraphLearner(
            DroppedGCN(data),
            prior,
            FreePosterior(),
            objective=IWELBO(LogisticKL()),
        )
        learner.posterior.requires_grad_(self.learns)
        result = fit(
            learner,
            data,
            epochs=epochs,
            patience=60,
            progress=False,
            **self.options,
        )
        prob = learner.predict(data.x, NUM_SAMPLES)
        return Outcome.of_fit(prob, result, LearnedGraph.of(learner, data.x))


class FreeAdam(FreeSGD):
    r"""The same with Adam, which moves each logit by its rate however weak the
    evidence.
    """

    title = 'Free logits: Adam'
    options = {'logit_optimizer': Adam, 'logit_lr': 0.01}


class FreeFrozen(FreeSGD):
    r"""The same with the posterior kept at the prior."""

    title = 'Free logits: frozen'
    options: dict[str, Any] = {}
    learns = False


class DroppedGCN(Module):
    r"""A GCN of two layers with dropout of its input.

    Args:
        data (torch_geometric.data.Data): The data that it is for.
    """

    def __init__(self, data: Data) -> None:
        super().__init__()
        self.drop = SparseDropout(0.8)
        shape = (data.num_features, HIDDEN, 2, num_classes(data))
        self.gcn = nn.GCN(*shape, dropout=0.5)

    def forward(
        self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None
    ) -> Tensor:
        return self.gcn(self.drop(x), edge_index, edge_weight)
