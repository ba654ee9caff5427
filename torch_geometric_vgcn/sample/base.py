from abc import ABC, abstractmethod

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample.graph_sample import Edges, GraphSample, Noise


class Sampler(Module, ABC):
    r"""Draws graphs from a posterior's logits.

    Sampling comes in two steps: :meth:`noise` draws all that is random, and
    the call turns noise and logits into graphs. Noise can be kept and used
    again: common random numbers, or the same graph twice.
    """

    def check(self, prior: Prior) -> None:
        r"""Raises an error if graphs can't be drawn with this prior."""

    def noise(
        self,
        prior: Prior,
        num_samples: int,
        generator: torch.Generator | None = None,
    ) -> Noise:
        r"""Draws the noise of :obj:`num_samples` graphs.

        Args:
            prior (Prior): The prior, with the pairs.
            num_samples (int): The number :math:`S` of graphs.
            generator (torch.Generator, optional): The source of randomness.
                (default: :obj:`None`, the global one)
        """
        logits = prior.logits
        uniform = torch.rand(
            (num_samples, logits.numel()),
            generator=generator,
            dtype=logits.dtype,
            device=logits.device,
        )
        # Logistic noise; zero itself would become minus infinity:
        logistic = uniform.logit_(eps=torch.finfo(logits.dtype).eps / 2)
        if not prior.has_background:
            return Noise(logistic)
        return Noise(logistic, self.background(prior, num_samples, generator))

    @abstractmethod
    def background(
        self,
        prior: Prior,
        num_samples: int = 1,
        generator: torch.Generator | None = None,
    ) -> Edges | None:
        r"""Draws the edges of each graph outside the prior's pairs, where
        posterior and prior are the same.
        """

    @abstractmethod
    def forward(
        self, prior: Prior, logits: Tensor, noise: Noise
    ) -> GraphSample:
        r"""Turns noise into graphs."""
