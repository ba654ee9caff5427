from typing import Any

from torch_geometric import seed_everything
from torch_geometric.data import Data

from systems.base import Outcome, System
from systems.gcn import gcn
from systems.vgcn import train_learner
from torch_geometric_vgcn import (
    AllPairs,
    BinaryConcrete,
    FreePosterior,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import IWELBO
from torch_geometric_vgcn.posterior import Posterior


class VGCNRelaxed(System):
    r"""The paper's model: a free logit for each of the
    :math:`\frac{N(N-1)}{2}` pairs, relaxed samples, a smoothed prior.
    """

    title = 'VGCN relaxed'
    grid = {
        'rho1': [0.25, 0.5, 0.75, 0.99],
        'beta': [1e-4, 1e-3, 1e-2, 1.0],
        'prior_temperature': [0.1, 0.5],
        'temperature': [0.1, 0.5, 0.66],
        'weight_decay': [5e-3, 5e-4],
    }
    quick = {
        'rho1': 0.25,
        'beta': 1e-2,
        'prior_temperature': 0.5,
        'temperature': 0.5,
        'weight_decay': 5e-4,
        'lr': 0.2,
        'epochs': 60,
    }
    #: The number of graphs for prediction.
    num_samples = 16

    def posterior(self) -> Posterior:
        return FreePosterior()

    def train(
        self,
        data: Data,
        seed: int,
        rho1: float,
        beta: float,
        prior_temperature: float,
        temperature: float,
        weight_decay: float,
        lr: float = 0.02,
        epochs: int = 400,
        patience: int = 100,
    ) -> Outcome:
        seed_everything(seed)
        n = data.num_nodes
        learner = VariationalGraphLearner(
            gcn(data),
            SmoothedPrior(data.edge_index, n, rho1, pairs=AllPairs(n)),
            self.posterior(),
            BinaryConcrete(temperature),
            IWELBO(LogisticKL(prior_temperature), beta=beta),
        )
        options: dict[str, Any] = {
            'lr': lr,
            'weight_decay': weight_decay,
            'patience': patience,
        }
        return train_learner(
            learner, data, self.num_samples, epochs=epochs, **options
        )


class VGCNRelaxed3(VGCNRelaxed):
    r"""The same with three graphs for prediction."""

    title = 'VGCN relaxed, S = 3'
    num_samples = 3


class VGCNRelaxedLong(VGCNRelaxed):
    r"""The same with 1,000 epochs, whatever validation says, and with the
    settings that a search with 60 epochs chose: the first without a graph, the
    second with edges added.
    """

    title = 'VGCN relaxed, 1000 epochs'
    quick = {
        **VGCNRelaxed.quick,
        'rho1': 0.5,
        'lr': 0.05,
        'epochs': 1000,
        'patience': 1000,
    }
    also = ({**quick, 'rho1': 0.25, 'lr': 0.2},)
