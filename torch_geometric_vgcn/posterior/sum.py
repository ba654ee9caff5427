from collections.abc import Iterable
from typing import cast

from torch import Tensor
from torch.nn import ModuleList

from torch_geometric_vgcn.posterior.base import Posterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.utils import check_kind


class SumPosterior(Posterior):
    r"""The sum of several posteriors' departures from the prior, written
    :obj:`a + b`.

    Args:
        *terms (Posterior): The posteriors to add up.
    """

    def __init__(self, *terms: Posterior) -> None:
        super().__init__()
        for term in terms:
            check_kind(term, Posterior, 'terms')
        self.terms = ModuleList(terms)

    @property
    def has_started(self) -> bool:
        return all(
            term.has_started for term in cast(Iterable[Posterior], self.terms)
        )

    def start_once(self, prior: Prior) -> None:
        for term in cast(Iterable[Posterior], self.terms):
            term.start_once(prior)

    def start_at(self, prior: Prior) -> None:
        for term in cast(Iterable[Posterior], self.terms):
            term.start_at(prior)

    def reset_parameters(self, prior: Prior) -> None:
        for term in cast(Iterable[Posterior], self.terms):
            term.reset_parameters(prior)

    def logits(self, prior: Prior, x: Tensor | None) -> Tensor:
        logits = prior.logits
        for term in self.terms:
            logits = logits + (term(prior, x) - prior.logits)
        return logits

    def check_prior(self, prior: Prior) -> None:
        for term in cast(Iterable[Posterior], self.terms):
            term.check_prior(prior)

    def check_outputs(self, num_outputs: int) -> None:
        for term in cast(Iterable[Posterior], self.terms):
            term.check_outputs(num_outputs)

    def observe(
        self, out: Tensor, y: Tensor, mask: Tensor | None, prior: Prior
    ) -> None:
        for term in cast(Iterable[Posterior], self.terms):
            term.observe(out, y, mask, prior)

    def __add__(self, other: Posterior) -> Posterior:
        check_kind(other, Posterior, 'other')
        return SumPosterior(*cast(Iterable[Posterior], self.terms), other)
