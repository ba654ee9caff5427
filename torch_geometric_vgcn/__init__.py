r"""Learning the graph itself, for PyTorch Geometric.

The names come in the order of the model: pairs, prior, posterior, sample,
message passing, objective.
"""

from torch_geometric_vgcn.training import (
    Fit,
    calibrate,
    evaluate,
    fit,
    fit_batches,
    fitted_prior,
    predict_batches,
)
from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.shared_graph import SharedGraph
from torch_geometric_vgcn.pairs import AllPairs, Candidates, ClusterPairs
from torch_geometric_vgcn.prior import (
    ConstantPrior,
    EvidencePrior,
    FittedPrior,
    SmoothedPrior,
)
from torch_geometric_vgcn.posterior import (
    AmortizedPosterior,
    ClassPosterior,
    FreePosterior,
    LowRankPosterior,
)
from torch_geometric_vgcn.sample import (
    Bernoulli,
    BinaryConcrete,
    PosteriorMean,
    StraightThroughBernoulli,
)
from torch_geometric_vgcn.message_passing import (
    AdjacencyMatrix,
    DenseAdjacency,
    EdgeWeight,
    KeptEdges,
    MessageGate,
    SparseDropout,
)
from torch_geometric_vgcn.objective import (
    ELBO,
    IWELBO,
    BernoulliKL,
    Categorical,
    Consistency,
    Gaussian,
    GaussianPrediction,
    LogisticKL,
    MultiLabel,
    SemiSupervisedELBO,
)
from torch_geometric_vgcn.recipe import VGCN

__version__ = '0.2.0'
