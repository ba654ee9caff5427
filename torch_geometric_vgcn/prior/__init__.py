r"""What was believed of the graph before any label was seen."""

from torch_geometric_vgcn.prior.base import Prior
from torch_geometric_vgcn.prior.evidence import EvidencePrior
from torch_geometric_vgcn.prior.fitted import FittedPrior
from torch_geometric_vgcn.prior.similarity import (
    cosine_similarity,
    degree_product,
    jaccard_similarity,
    negative_distance,
    resource_allocation,
)
from torch_geometric_vgcn.prior.smoothed import ConstantPrior, SmoothedPrior

__all__ = [
    'Prior',
    'SmoothedPrior',
    'ConstantPrior',
    'EvidencePrior',
    'FittedPrior',
    'cosine_similarity',
    'jaccard_similarity',
    'negative_distance',
    'degree_product',
    'resource_allocation',
]
