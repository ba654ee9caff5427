import torch
from torch_geometric.data import Data

from systems.base import with_fast_features
from systems.recipe_frozen import RecipeFrozen
from systems.recipe_learned import RecipeLearned
from torch_geometric_vgcn import EvidencePrior, SmoothedPrior, fitted_prior
from torch_geometric_vgcn.prior import Prior, degree_product


class Fitted:
    r"""How far to trust the graph is found by data, with nothing to choose.
    Without features there is no classifier to compare the graph with: half of
    it may be wrong then, and degrees are the evidence.
    """

    grid = {}
    quick = {}
    also = ()

    def prior(self, data: Data) -> Prior:
        if has_features(data):
            return fitted_prior(with_fast_features(data))
        prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1=0.5)
        return EvidencePrior(prior, data.edge_index, 2.0, degree_product)


def has_features(data: Data) -> bool:
    r"""Whether features tell more than which node is which."""
    n, width = data.x.shape
    return n != width or not torch.equal(data.x, torch.eye(n))


class RecipeFitted(Fitted, RecipeLearned):
    title = 'Recipe: fitted prior'


class RecipeFittedFrozen(Fitted, RecipeFrozen):
    title = 'Recipe: fitted prior, frozen'
