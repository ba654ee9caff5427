from torch_geometric.data import Data

from systems.base import with_fast_features
from systems.recipe_frozen import RecipeFrozen
from systems.recipe_learned import RecipeLearned
from systems.recipe_learner import LearnerRecipe, has_features
from torch_geometric_vgcn import fitted_prior
from torch_geometric_vgcn.prior import Prior


class Fitted:
    r"""How far to trust the graph is found by data, with nothing to choose.
    Without features there is no classifier to compare the graph with: half of
    it may be wrong then.
    """

    grid = {}
    quick = {}
    also = ()

    def prior(self, data: Data) -> Prior:
        if has_features(data):
            return fitted_prior(with_fast_features(data))
        return LearnerRecipe.prior(self, data, rho1=0.5, evidence=2.0)


class RecipeFitted(Fitted, RecipeLearned):
    title = 'Recipe: fitted prior'


class RecipeFittedFrozen(Fitted, RecipeFrozen):
    title = 'Recipe: fitted prior, frozen'
