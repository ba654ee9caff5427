import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.base import Metric


class ApproximateSearch:
    pass
