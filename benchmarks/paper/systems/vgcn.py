from torch.optim import Adam
from torch_geometric import seed_everything
from torch_geometric.data import Data

from systems.base import Outcome, System, with_fast_features
from systems.gcn import gcn
from systems.learned_graph import LearnedGraph
from torch_geometric_vgcn import (
    EvidencePrior,
    FreePosterior,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.objective import IWELBO


def train_learner(
    learner: VariationalGraphLearner,
    data: Data,
    num_samples: int = 16,
    **options: float,
) -> Outcome:
    r"""Trains with Adam, as the paper does, with three graphs per step, and
    predicts with :obj:`num_samples`.
    """
    data = with_fast_features(data)
    result = fit(
        learner, data, logit_optimizer=Adam, progress=False, **options
    )
    prob = learner.predict(data.x, num_samples)
    return Outcome.of_fit(prob, result, LearnedGraph.of(learner, data.x))


class VGCN(System):
    r"""Our variant: the edges of the graph as candidates, other pairs as a
    sampled background, and a prior that depends on feature similarity.
    """

    title = 'VGCN'
    grid = {
        'rho1': [0.1, 0.5, 0.9, 0.99],
        'evidence': [0.0, 2.0, 4.0],
        'weight_decay': [5e-3, 5e-4],
    }
    quick = {'rho1': 0.5, 'evidence': 4.0, 'weight_decay': 5e-4}
    also = (
        {'rho1': 0.1, 'evidence': 2.0, 'weight_decay': 5e-4},
        {'rho1': 0.99, 'evidence': 2.0, 'weight_decay': 5e-4},
    )

    def train(
        self,
        data: Data,
        seed: int,
        rho1: float,
        evidence: float,
        weight_decay: float,
        beta: float = 1e-2,
        epochs: int = 400,
        patience: int = 100,
    ) -> Outcome:
        seed_everything(seed)
        learner = self.learner(data, rho1, evidence, beta)
        return train_learner(
            learner,
            data,
            epochs=epochs,
            lr=0.02,
            weight_decay=weight_decay,
            patience=patience,
        )

    def learner(
        self, data: Data, rho1: float, evidence: float, beta: float
    ) -> VariationalGraphLearner:
        prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1)
        prior = EvidencePrior(prior, data.x, evidence)
        objective = IWELBO(LogisticKL(), beta)
        return VariationalGraphLearner(
            gcn(data), prior, posterior=FreePosterior(), objective=objective
        )
