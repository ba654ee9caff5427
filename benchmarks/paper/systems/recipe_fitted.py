from torch_geometric.data import Data

from systems.base import with_fast_features
from systems.recipe_frozen import RecipeFrozen
from systems.recipe_learned import RecipeLearned
from torch_geometric_vgcn import fitted_prior
from torch_geometric_vgcn.prior import Prior


class Fitted:
    r"""How far to trust the graph is found by data, with nothing to choose."""

    grid = {'caution': [1.0]}
    quick = {'caution': 1.0}
    also = ()

    def prior(self, data: Data, caution: float) -> Prior:
        return fitted_prior(with_fast_features(data), caution=caution)


class RecipeFitted(Fitted, RecipeLearned):
    title = 'Recipe: fitted prior'


class RecipeFittedFrozen(Fitted, RecipeFrozen):
    title = 'Recipe: fitted prior, frozen'


class RecipeCautious(Fitted, RecipeLearned):
    r"""For data that somebody may have attacked."""

    title = 'Recipe: cautious prior'
    grid = {'caution': [3.0]}
    quick = {'caution': 3.0}
