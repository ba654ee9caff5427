from torch_geometric.data import Data

from systems.recipe_learned import RecipeLearned
from torch_geometric_vgcn import EvidencePrior, SmoothedPrior
from torch_geometric_vgcn.prior import Prior, degree_product


class RecipeDegrees(RecipeLearned):
    r"""For graphs whose nodes have no features: a prior with the degrees of
    an edge's two nodes as evidence.
    """

    title = 'Recipe: degree prior'
    grid = {'rho1': [0.5, 0.99], 'evidence': [0.0, 2.0]}
    quick = {'rho1': 0.99, 'evidence': 0.0}
    also = (
        {'rho1': 0.99, 'evidence': 2.0},
        {'rho1': 0.5, 'evidence': 2.0},
    )

    def prior(self, data: Data, rho1: float, evidence: float) -> Prior:
        prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1)
        if evidence == 0:
            return prior
        return EvidencePrior(prior, data.edge_index, evidence, degree_product)
