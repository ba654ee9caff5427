r"""All systems. To add one, add a file here and a line below."""

from systems.egcn import EGCN
from systems.estimator import (
    Estimator,
    EstimatorFeatures,
    EstimatorFrozen,
    EstimatorTrusting,
)
from systems.free import FreeAdam, FreeFrozen, FreeSGD
from systems.gat import GAT
from systems.gcn import GCN
from systems.gcn_jaccard import GCNJaccard
from systems.gcn_on_knn import GCNOnKNN
from systems.gcn_svd import GCNSVD
from systems.ggp import GGP
from systems.lds import LDS
from systems.mlp import MLP
from systems.peers import (
    ProGNN,
    RobustGCN,
    RobustJaccard,
    RobustSVD,
    SimPGCN,
)
from systems.recipe_degrees import RecipeDegrees
from systems.recipe_drop_edge import RecipeDropEdge
from systems.recipe_fitted import (
    RecipeCautious,
    RecipeFitted,
    RecipeFittedFrozen,
)
from systems.recipe_frozen import RecipeFrozen, RecipeFrozenSmoothed
from systems.recipe_given_graph import RecipeGivenGraph
from systems.recipe_learned import RecipeLearned, RecipeLearnedSmoothed
from systems.recipe_mlp import RecipeMLP
from systems.recipe_prior_mean import RecipePriorMean
from systems.recipe_sage import RecipeSAGE
from systems.recipe_trust import (
    RecipeFrozenBelieved,
    RecipeFrozenHalf,
    RecipeLearnedBelieved,
    RecipeLearnedHalf,
)
from systems.rgcn import RGCN
from systems.sage import SAGE
from systems.vgcn import VGCN
from systems.vgcn_discrete import VGCNDiscrete
from systems.vgcn_frozen import VGCNFrozen
from systems.vgcn_low_rank import VGCNLowRank
from systems.vgcn_relaxed import VGCNRelaxed, VGCNRelaxed3, VGCNRelaxedLong
from systems.vgcn_smoothed import VGCNSmoothed, VGCNSmoothedLong

SYSTEMS = (
    VGCN,
    VGCNSmoothed,
    VGCNRelaxed,
    VGCNRelaxed3,
    VGCNRelaxedLong,
    VGCNSmoothedLong,
    VGCNLowRank,
    VGCNDiscrete,
    GCN,
    SAGE,
    GAT,
    RGCN,
    LDS,
    EGCN,
    GGP,
    MLP,
    GCNOnKNN,
    GCNJaccard,
    GCNSVD,
    ProGNN,
    SimPGCN,
    RobustGCN,
    RobustJaccard,
    RobustSVD,
    VGCNFrozen,
    RecipeLearned,
    RecipeFrozen,
    RecipePriorMean,
    RecipeDropEdge,
    RecipeGivenGraph,
    RecipeMLP,
    RecipeSAGE,
    RecipeLearnedHalf,
    RecipeFrozenHalf,
    RecipeLearnedBelieved,
    RecipeFrozenBelieved,
    RecipeLearnedSmoothed,
    RecipeFrozenSmoothed,
    RecipeFitted,
    RecipeFittedFrozen,
    RecipeCautious,
    RecipeDegrees,
    FreeSGD,
    FreeAdam,
    FreeFrozen,
    Estimator,
    EstimatorFrozen,
    EstimatorTrusting,
    EstimatorFeatures,
)
