from abc import ABC, abstractmethod
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample.graph_sample import (
    BackgroundEdges,
    GraphSample,
    Noise,
)
from torch_geometric_vgcn.utils import check_count, check_floats, check_kind
from torch_geometric_vgcn.utils.deprecated import former_methods, warn

MOST_SAMPLES = 2**20  # graphs, far more than any use


class Sampler(Module, ABC):
    r"""Draws graphs from a posterior's logits.

    Sampling comes in two steps: :meth:`noise` draws the randomness, and
    the call turns noise and logits into graphs. Noise can be kept and used
    again: common random numbers, or the same graph twice.
    """

    # Whether the logits get a gradient through the sampled weights:
    pathwise: ClassVar[bool] = True
    # Whether graphs are drawn at all; else they are all the same:
    random: ClassVar[bool] = True
    # Whether weights have a relaxed distribution, as LogisticKL needs:
    relaxed: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        former_methods(cls, sample='forward')

    def check(self, prior: Prior) -> None:
        r"""Raises an error if graphs can't be drawn with this prior."""
        check_kind(prior, Prior, 'prior')

    def describe(self, prior: Prior) -> str:
        r"""What is worth knowing of graphs drawn with this prior."""
        return ''

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
        check_kind(prior, Prior, 'prior')
        num_samples = check_count(num_samples, 'num_samples', 1, MOST_SAMPLES)
        if generator is not None:
            check_kind(generator, torch.Generator, 'generator')
        logits = prior.logits
        if not self.random:
            return Noise(logits.new_zeros(1).expand(num_samples, len(logits)))
        # The tails of narrower types end where edges are still likely:
        dtype = torch.promote_types(logits.dtype, torch.float)
        uniform = torch.rand(
            (num_samples, logits.numel()),
            generator=generator,
            dtype=dtype,
            device=logits.device,
        )
        # Logistic noise; zero itself would become minus infinity:
        logistic = uniform.logit_(eps=torch.finfo(dtype).eps / 2)
        logistic = logistic.to(logits.dtype)
        if not prior.has_background:
            return Noise(logistic)
        return Noise(logistic, self.background(prior, num_samples, generator))

    @abstractmethod
    def background(
        self,
        prior: Prior,
        num_samples: int = 1,
        generator: torch.Generator | None = None,
    ) -> BackgroundEdges | None:
        r"""Draws the edges of each graph outside the prior's pairs, where
        posterior and prior are the same.
        """

    @abstractmethod
    def forward(
        self, prior: Prior, logits: Tensor, noise: Noise
    ) -> GraphSample:
        r"""Turns noise into graphs.

        Args:
            prior (Prior): The prior, with the pairs.
            logits (Tensor): The posterior's logits, of shape :obj:`[P]`.
            noise (Noise): The randomness, from :meth:`noise`.
        """

    def check_noise(self, prior: Prior, logits: Tensor, noise: Noise) -> None:
        r"""Expects logits and noise for the pairs of a prior."""
        check_kind(prior, Prior, 'prior')
        check_kind(noise, Noise, 'noise')
        check_floats(logits, (len(prior.pairs),), 'logits')
        noise.check(prior.pairs)

    def sample(
        self, prior: Prior, logits: Tensor, noise: Noise
    ) -> GraphSample:
        r"""Deprecated: call the sampler."""
        warn("'sample'", 'the call of the sampler')
        return self(prior, logits, noise)

    def default_objective(self) -> Any:
        r"""Deprecated: use
        :func:`torch_geometric_vgcn.objective.default_objective`.
        """
        from torch_geometric_vgcn.objective import default_objective

        warn("'default_objective'", 'objective.default_objective(sampler)')
        return default_objective(self)


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
