from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, cast

from torch import Tensor
from torch.nn import Module, ModuleList

from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.utils import check_kind
from torch_geometric_vgcn.utils.deprecated import former_methods, warn


class Posterior(Module, ABC):
    r"""A parametrisation of the approximate posterior's logits
    :math:`\theta_{ij}`, one per pair.

    A posterior starts at the prior, or as near to it as it can. Posteriors
    add up: :obj:`FreePosterior() + AmortizedPosterior(encoder)` has the logits

    .. math::
        \theta_{ij} = \theta^o_{ij} + \sum_k (\theta^{(k)}_{ij} -
        \theta^o_{ij}).
    """

    # Whether labels must be classes:
    needs_classes: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        former_methods(cls, logits='forward', start_at='initialize_from')

    @abstractmethod
    def initialize_from(self, prior: Prior) -> None:
        r"""Makes new parameters for what the posterior adds to the prior, so
        that it equals :obj:`prior` as nearly as it can.
        """

    @property
    def has_started(self) -> bool:
        r"""Whether there are parameters, or buffers, of this module."""
        state = *self.parameters(recurse=False), *self.buffers(recurse=False)
        return len(state) > 0

    def start_once(self, prior: Prior) -> None:
        r"""Starts at :obj:`prior` as a learner does: what has started already,
        and may have been trained, stays as it is.
        :meth:`reset_parameters` starts again.
        """
        if not self.has_started:
            self.initialize_from(prior)
            return
        try:
            self.check_prior(prior)
        except ValueError as error:
            raise ValueError(
                "'posterior' was started with another graph, and is not "
                f'started again: {error}, or '
                'posterior.reset_parameters(prior) to give up what it has '
                'learned'
            ) from error

    def reset_parameters(self, prior: Prior) -> None:
        r"""Makes all parameters new, including those of an encoder."""
        self.initialize_from(prior)

    @abstractmethod
    def forward(self, prior: Prior, x: Tensor | None = None) -> Tensor:
        r"""The logits of the pairs of :obj:`prior`, of shape :obj:`[P]`.

        Args:
            prior (Prior): The prior.
            x (Tensor, optional): The node features, for posteriors that see
                them. (default: :obj:`None`)
        """

    def check_prior(self, prior: Prior) -> None:
        r"""Raises an error if there are no logits for the pairs of
        :obj:`prior`.
        """
        check_kind(prior, Prior, 'prior')
        if not self.has_started:
            raise RuntimeError(
                f'{type(self).__name__} has no parameters yet: a learner, or '
                "'initialize_from(prior)', makes them"
            )

    def check_outputs(self, num_outputs: int) -> None:
        r"""Raises an error if :meth:`observe` can't use so many outputs of
        the network.
        """

    def observe(
        self, out: Tensor, y: Tensor, mask: Tensor | None, prior: Prior
    ) -> None:
        r"""Takes note of the network's outputs and of the labels, for
        posteriors that use them. It is called in each training step, by the
        backward pass of :meth:`VariationalGraphLearner.objective`.

        Args:
            out (Tensor): The outputs, of shape :obj:`[S, N, C]`.
            y (Tensor): The labels, such as classes of shape :obj:`[N]`.
            mask (Tensor, optional): Which nodes are labelled.
                (default: :obj:`None`, all)
            prior (Prior): The prior of the nodes, which may be those of a
                mini-batch.
        """

    def __add__(self, other: 'Posterior') -> 'Posterior':
        check_kind(other, Posterior, 'other')
        return SumPosterior(self, other)

    def start_at(self, prior: Prior) -> None:
        r"""Deprecated: :meth:`initialize_from`."""
        warn("'start_at'", "'initialize_from'")
        self.initialize_from(prior)

    def logits(self, prior: Prior, x: Tensor | None = None) -> Tensor:
        r"""Deprecated: call the posterior."""
        warn("'logits'", 'the call of the posterior')
        return self(prior, x)


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

    def __iter__(self) -> Iterator[Posterior]:
        return iter(cast(Iterable[Posterior], self.terms))

    @property
    def has_started(self) -> bool:
        return all(term.has_started for term in self)

    def start_once(self, prior: Prior) -> None:
        for term in self:
            term.start_once(prior)

    def initialize_from(self, prior: Prior) -> None:
        for term in self:
            term.initialize_from(prior)

    def reset_parameters(self, prior: Prior) -> None:
        for term in self:
            term.reset_parameters(prior)

    def forward(self, prior: Prior, x: Tensor | None = None) -> Tensor:
        check_kind(prior, Prior, 'prior')
        logits = prior.logits
        for term in self.terms:
            logits = logits + (term(prior, x) - prior.logits)
        return logits

    def check_prior(self, prior: Prior) -> None:
        for term in self:
            term.check_prior(prior)

    def check_outputs(self, num_outputs: int) -> None:
        for term in self:
            term.check_outputs(num_outputs)

    def observe(
        self, out: Tensor, y: Tensor, mask: Tensor | None, prior: Prior
    ) -> None:
        for term in self:
            term.observe(out, y, mask, prior)

    def __add__(self, other: Posterior) -> Posterior:
        check_kind(other, Posterior, 'other')
        return SumPosterior(*self, other)
