from torch_geometric import seed_everything
from torch_geometric.data import Data

from systems.base import Outcome, System
from systems.gcn import gcn
from systems.vgcn import train_learner
from torch_geometric_vgcn import (
    ELBO,
    AllPairs,
    Bernoulli,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import BernoulliKL


class VGCNDiscrete(System):
    r"""The paper's discrete model: Bernoulli edges, whose logits are trained
    by the score function. Three graphs for training and for prediction.
    """

    title = 'VGCN discrete'
    grid = {
        'rho1': [0.25, 0.5, 0.75, 0.99],
        'beta': [1e-4, 1e-3, 1e-2, 1.0],
        'weight_decay': [5e-3, 5e-4],
    }
    quick = {
        'rho1': 0.25,
        'beta': 1e-2,
        'weight_decay': 5e-4,
        'lr': 0.2,
        'epochs': 60,
    }

    def train(
        self,
        data: Data,
        seed: int,
        rho1: float,
        beta: float,
        weight_decay: float,
        lr: float = 0.02,
        epochs: int = 400,
    ) -> Outcome:
        seed_everything(seed)
        n = data.num_nodes
        learner = VariationalGraphLearner(
            gcn(data),
            SmoothedPrior(data.edge_index, n, rho1, pairs=AllPairs(n)),
            FreePosterior(),
            Bernoulli(),
            ELBO(BernoulliKL(), beta=beta),
        )
        options = {'lr': lr, 'weight_decay': weight_decay}
        return train_learner(learner, data, 3, epochs=epochs, **options)
