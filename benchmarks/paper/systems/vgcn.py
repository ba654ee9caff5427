from torch.optim import Adam
from torch_geometric import seed_everything
from torch_geometric.data import Data

from benchmarks.paper.systems.base import (
    LearnedGraph,
    Outcome,
    System,
    with_fast_features,
)
from benchmarks.paper.systems.gcn import gcn
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
    settings = (
        {'rho1': 0.5, 'evidence': 4.0, 'weight_decay': 5e-4},
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
        epochs: int = 400,
    ) -> Outcome:
        seed_everything(seed)
        net = gcn(data)
        prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1)
        prior = EvidencePrior(prior, data.x, evidence)
        objective = IWELBO(LogisticKL(), beta=1e-2)
        learner = VariationalGraphLearner(
            net, prior, posterior=FreePosterior(), objective=objective
        )
        options = {'lr': 0.02, 'weight_decay': weight_decay, 'epochs': epochs}
        return train_learner(learner, data, **options)
