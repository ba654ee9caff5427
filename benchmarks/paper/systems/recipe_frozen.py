from typing import Any

from torch_geometric.data import Data

from systems.recipe_learner import LearnerRecipe
from torch_geometric_vgcn import FreePosterior, VariationalGraphLearner
from torch_geometric_vgcn.posterior import Posterior


class RecipeFrozen(LearnerRecipe):
    r"""The posterior is kept at the prior: graphs are sampled, but nothing is
    learned of them.
    """

    title = 'Recipe: frozen'

    def posterior(self, data: Data) -> Posterior:
        return FreePosterior()

    def model(self, data: Data, **settings: Any) -> VariationalGraphLearner:
        learner = super().model(data, **settings)
        learner.posterior.requires_grad_(False)
        return learner


class RecipeFrozenSmoothed(RecipeFrozen):
    r"""The same with the smoothed prior: features are not used as
    evidence.
    """

    title = 'Recipe: frozen, smoothed'
    grid = {**RecipeFrozen.grid, 'evidence': [0.0]}
    quick = {'rho1': 0.5, 'evidence': 0.0}
    also = ()
