from torch_geometric.data import Data

from systems.recipe_frozen import RecipeFrozen
from torch_geometric_vgcn.prior import ConstantPrior, Prior
from torch_geometric_vgcn.sample import Sampler, StraightThroughBernoulli


class RecipeDropEdge(RecipeFrozen):
    r"""As many edges as the prior has on average, each of them equally
    probable, as in the `"DropEdge: Towards Deep Graph Convolutional Networks
    on Node Classification" <https://arxiv.org/abs/1907.10903>`_ paper.
    """

    title = 'Recipe: DropEdge'

    def prior(self, data: Data, rho1: float, evidence: float) -> Prior:
        prior = super().prior(data, rho1, evidence)
        rho = float(prior.logits.double().sigmoid().mean())
        return ConstantPrior(prior.pairs, rho)

    def sampler(self) -> Sampler:
        return StraightThroughBernoulli()
