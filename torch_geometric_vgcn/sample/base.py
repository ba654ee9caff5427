import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample.graph_sample import (
    BackgroundEdges,
    GraphSample,
    Noise,
)
from torch_geometric_vgcn.utils import (
    check_count,
    check_floats,
    check_kind,
    check_tensor,
    find,
    pair_at,
    wide,
)
from torch_geometric_vgcn.utils.deprecated import former_methods, warn

MOST_SAMPLES = 2**20  # graphs, far more than any use
# Expected pairs per graph that are still cheap to draw, however few the nodes:
FEW = 2**20
# ... and per node, however many:
PER_NODE = 4


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
        r"""Raises an error if graphs can't be drawn with this prior, or would
        have more background pairs than they can afford.
        """
        check_kind(prior, Prior, 'prior')
        if not (self.random and prior.has_background):
            return
        pairs = prior.pairs
        mean = pairs.num_possible * self.background_prob(prior)
        most = max(FEW, PER_NODE * pairs.num_nodes)
        if mean > most:
            raise ValueError(
                f"'sampler' = {self} would draw about {mean:.2g} background "
                f'pairs per graph, expected at most {most:.2g} for '
                f"{pairs.num_nodes} nodes: lower the prior's 'background' or "
                "the sampler's temperature, or use AllPairs"
            )

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

    def background(
        self,
        prior: Prior,
        num_samples: int = 1,
        generator: torch.Generator | None = None,
    ) -> BackgroundEdges | None:
        r"""Draws the edges of each graph outside the prior's pairs, where
        posterior and prior are the same.
        """
        prob = self.background_prob(prior)
        index, drawn = draw_background(
            prior.pairs, prob, num_samples, generator
        )
        weight = self.background_weight(prior, drawn, generator)
        return BackgroundEdges(index, weight.to(prior.logits.dtype))

    def background_prob(self, prior: Prior) -> float:
        r"""The probability with which a background pair is drawn."""
        return prior.background

    def background_weight(
        self, prior: Prior, drawn: Tensor, generator: torch.Generator | None
    ) -> Tensor:
        r"""The weights of background pairs: zero unless :obj:`drawn`."""
        return drawn

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
        count = len(prior.pairs)
        check_floats(logits, (count,), 'logits')
        check_tensor(noise.logistic, f'[S, {count}]', 'noise')
        if noise.logistic.dim() != 2 or noise.logistic.size(1) != count:
            raise ValueError(
                f"'noise' must have shape [S, {count}], one number per graph "
                f'and pair, got {list(noise.logistic.shape)}: draw it with '
                "the learner's method 'noise' for the same prior"
            )

    def sample(self, *args: Any, **kwargs: Any) -> GraphSample:
        r"""Deprecated: call the sampler."""
        warn("'sample'", 'the call of the sampler')
        return self(*args, **kwargs)

    def default_objective(self) -> Any:
        r"""Deprecated: use
        :func:`torch_geometric_vgcn.objective.default_objective`.
        """
        from torch_geometric_vgcn.objective import default_objective

        warn("'default_objective'", 'objective.default_objective(sampler)')
        return default_objective(self)


def draw_background(
    pairs: Pairs,
    prob: float,
    num_samples: int = 1,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    r"""Draws each pair that isn't among :obj:`pairs` independently with the
    same probability, at the cost of those that are drawn: the gaps between
    them are geometric.

    The shapes don't depend on what is drawn, so that no step waits for the
    device: there are slots for eight standard deviations above the mean, and a
    mask tells which are used.

    Args:
        pairs (Pairs): The pairs to leave out.
        prob (float): The probability of each other pair.
        num_samples (int, optional): The number :math:`S` of graphs.
            (default: :obj:`1`)
        generator (torch.Generator, optional): The source of randomness.
            (default: :obj:`None`)

    Returns:
        The pairs :math:`i < j`, of shape :obj:`[2, S, M]`, and which of them
        were drawn, of shape :obj:`[S, M]`.
    """
    mean = pairs.num_possible * prob
    slots = math.ceil(mean + 8 * math.sqrt(mean) + 16)
    size = (num_samples, min(slots, pairs.num_possible))
    uniform = torch.rand(
        size,
        generator=generator,
        dtype=wide(pairs.device),
        device=pairs.device,
    )
    gap = torch.log1p(-uniform) / math.log1p(-prob)
    # Beyond the last pair all gaps are alike, and sums mustn't overflow:
    gap = gap.clamp_(max=pairs.num_possible).long() + 1
    place = gap.cumsum(dim=1) - 1
    drawn = place < pairs.num_possible
    index = pair_at(place * drawn, pairs.num_nodes)
    _, given = find(pairs.key, index[0] * pairs.num_nodes + index[1])
    # Leaving out the given ones doesn't change the chances of the others:
    return index, drawn & ~given


class PosteriorMean(Sampler):
    r"""The mean graph :math:`A_{ij} = \sigma(\theta_{ij})`, without noise: one
    pass for a quick prediction. The background's mean, a weight of
    :math:`\bar\rho_0` on each other pair, is left out.
    """

    random: ClassVar[bool] = False

    def background(self, *args: Any, **kwargs: Any) -> None:
        return None

    def forward(
        self, prior: Prior, logits: Tensor, noise: Noise
    ) -> GraphSample:
        self.check_noise(prior, logits, noise)
        weight = logits.sigmoid().expand(len(noise), -1)
        return GraphSample(prior, logits, weight)
