from typing import Any

from torch_geometric.data import Data

from systems.recipe_learner import LearnerRecipe, Smoothed
from torch_geometric_vgcn import FreePosterior, VariationalGraphLearner
from torch_geometric_vgcn.posterior import Posterior


class RecipeFrozen(LearnerRecipe):
    r"""The posterior is kept at the prior: graphs are sampled, but nothing is
    learned of them.
    """

    title = 'Recipe: frozen'

    def posterior(self) -> Posterior:
        return FreePosterior()

    def model(self, data: Data, **settings: Any) -> VariationalGraphLearner:
        learner = super().model(data, **settings)
        learner.posterior.requires_grad_(False)
        return learner


class RecipeFrozenSmoothed(Smoothed, RecipeFrozen):
    title = 'Recipe: frozen, smoothed'
