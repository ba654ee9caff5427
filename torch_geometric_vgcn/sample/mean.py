from typing import ClassVar

import torch
from torch import Tensor

from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample.base import Sampler
from torch_geometric_vgcn.sample.graph_sample import GraphSample
from torch_geometric_vgcn.sample.noise import Noise


class PosteriorMean(Sampler):
    r"""The mean graph :math:`A_{ij} = \sigma(\theta_{ij})`, without noise: one
    pass for a quick prediction. The background's mean, a weight of
    :math:`\bar\rho_0` on each other pair, is left out.
    """

    random: ClassVar[bool] = False

    def background(
        self,
        prior: Prior,
        num_samples: int = 1,
        generator: torch.Generator | None = None,
    ) -> None:
        return None

    def forward(
        self, prior: Prior, logits: Tensor, noise: Noise
    ) -> GraphSample:
        self.check_noise(prior, logits, noise)
        weight = logits.sigmoid().expand(len(noise), -1)
        return GraphSample(prior, logits, weight)
