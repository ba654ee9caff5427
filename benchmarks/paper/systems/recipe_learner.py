from typing import Any

from torch_geometric.data import Data

from systems.base import num_classes
from systems.recipe import (
    HIDDEN,
    Recipe,
    input_dropout,
    is_bag_of_words,
    objective,
)
from torch_geometric_vgcn import (
    BinaryConcrete,
    EvidencePrior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.objective import default_objective
from torch_geometric_vgcn.posterior import Posterior
from torch_geometric_vgcn.prior import (
    Prior,
    cosine_similarity,
    negative_distance,
)
from torch_geometric_vgcn.sample import Sampler


def network(data: Data) -> PropagatedMLP:
    return PropagatedMLP(
        data.num_features,
        HIDDEN,
        num_classes(data),
        input_dropout=input_dropout(data),
    )


class LearnerRecipe(Recipe):
    r"""The recipe on graphs that are drawn: the edges of the graph as
    candidates, with a prior that depends on feature similarity.
    """

    grid = {'rho1': [0.1, 0.5, 0.99], 'evidence': [2.0, 4.0]}
    quick = {'rho1': 0.1, 'evidence': 2.0}
    also = (
        {'rho1': 0.5, 'evidence': 4.0},
        {'rho1': 0.99, 'evidence': 2.0},
    )

    def prior(self, data: Data, rho1: float, evidence: float) -> Prior:
        prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1)
        if evidence == 0:
            return prior
        words = is_bag_of_words(data)
        similarity = cosine_similarity if words else negative_distance
        return EvidencePrior(prior, data.x, evidence, similarity)

    def posterior(self) -> Posterior | None:
        r"""What is learned of the graph. (default: as by default)"""
        return None

    def sampler(self) -> Sampler:
        return BinaryConcrete()

    def model(self, data: Data, **settings: Any) -> VariationalGraphLearner:
        sampler = self.sampler()
        return VariationalGraphLearner(
            network(data),
            self.prior(data, **settings),
            self.posterior(),
            sampler,
            objective(data, default_objective(sampler).kl),
        )


class Smoothed:
    r"""The settings of the smoothed prior: features are not used as
    evidence.
    """

    grid = {**LearnerRecipe.grid, 'evidence': [0.0]}
    quick = {'rho1': 0.5, 'evidence': 0.0}
    also = ()
