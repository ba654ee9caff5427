from typing import Any

from torch.nn import Module
from torch_geometric import seed_everything
from torch_geometric.data import Data

from benchmarks.paper.systems.base import Outcome, System
from benchmarks.paper.systems.gcn import gcn
from benchmarks.paper.systems.vgcn import train_learner
from torch_geometric_vgcn import (
    ELBO,
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    FreePosterior,
    LogisticKL,
    LowRankPosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import IWELBO, BernoulliKL
from torch_geometric_vgcn.posterior import Posterior
from torch_geometric_vgcn.sample import Sampler


class VGCNRelaxed(System):
    r"""The paper's model: a free logit for each of the
    :math:`\frac{N(N-1)}{2}` pairs, relaxed samples, a smoothed prior.
    """

    title = 'VGCN relaxed'
    settings = (
        {
            'rho1': 0.25,
            'beta': 1e-2,
            'prior_temperature': 0.5,
            'temperature': 0.5,
            'weight_decay': 5e-4,
            'lr': 0.2,
            'epochs': 60,
        },
    )
    #: The number of graphs for prediction.
    num_samples = 16

    def posterior(self) -> Posterior:
        return FreePosterior()

    def sampler(self, temperature: float, **settings: Any) -> Sampler:
        return BinaryConcrete(temperature)

    def objective(
        self, beta: float, prior_temperature: float, **settings: Any
    ) -> Module:
        return IWELBO(LogisticKL(prior_temperature), beta=beta)

    def train(
        self,
        data: Data,
        seed: int,
        rho1: float,
        weight_decay: float,
        lr: float,
        epochs: int,
        **settings: float,
    ) -> Outcome:
        seed_everything(seed)
        n = data.num_nodes
        learner = VariationalGraphLearner(
            gcn(data),
            SmoothedPrior(data.edge_index, n, rho1, pairs=AllPairs(n)),
            self.posterior(),
            self.sampler(**settings),
            self.objective(**settings),
        )
        options = {'lr': lr, 'weight_decay': weight_decay, 'epochs': epochs}
        return train_learner(learner, data, self.num_samples, **options)


class VGCNRelaxed3(VGCNRelaxed):
    r"""The same with three graphs for prediction."""

    title = 'VGCN relaxed, S = 3'
    num_samples = 3


class VGCNLowRank(VGCNRelaxed):
    r"""The paper's low-rank posterior, of rank 100, relaxed."""

    title = 'VGCN low-rank'

    def posterior(self) -> Posterior:
        return LowRankPosterior(rank=100)


class VGCNDiscrete(VGCNRelaxed3):
    r"""The paper's discrete model: Bernoulli edges, whose logits are trained
    by the score function. Three graphs for training and for prediction.
    """

    title = 'VGCN discrete'
    settings = (
        {
            'rho1': 0.25,
            'beta': 1e-2,
            'weight_decay': 5e-4,
            'lr': 0.2,
            'epochs': 60,
        },
    )

    def sampler(self, **settings: Any) -> Sampler:
        return Bernoulli()

    def objective(self, beta: float, **settings: Any) -> Module:
        return ELBO(BernoulliKL(), beta=beta)
