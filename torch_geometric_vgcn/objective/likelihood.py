r"""What labels are, given a network's outputs."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.utils import (
    POSITIVE,
    check_tensor,
    checked,
    on_host,
    selected_nodes,
    wide,
)


class Likelihood(Module, ABC):
    r"""The likelihood :math:`p(\mathbf{y}_n \mid \mathbf{f}_n)` of a node's
    label, given a network's outputs :math:`\mathbf{f}_n` on one graph.

    A prediction is made from an average over the outputs
    :math:`\mathbf{F}^{(s)}` on :math:`S` graphs, at a temperature :math:`T`
    that :func:`~torch_geometric_vgcn.calibrate` finds:

    .. math::
        p_T(\mathbf{y}) \propto p(\mathbf{y})^{1/T}, \quad
        p = \mathrm{calibrated} \Big( \frac{1}{S} \sum_s \mathrm{mean}(
        \mathbf{F}^{(s)}) \Big).

    A subclass says what is expected of outputs and labels, how likely labels
    are, and how a prediction is made and scored.
    """

    # The short name of the validation score, such as 'acc':
    score: ClassVar[str]
    # Whether labels are classes, which some posteriors and terms need:
    has_classes: ClassVar[bool] = False

    temperature: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer('temperature', torch.ones(()))

    def reset_parameters(self) -> None:
        r"""Starts again."""
        self.set_temperature(1.0)

    @checked(temperature=POSITIVE)
    def set_temperature(self, temperature: float) -> None:
        r"""Sets the temperature of predictions. Training ignores it."""
        limit = torch.finfo(self.temperature.dtype)
        self.temperature.fill_(min(max(temperature, limit.tiny), limit.max))

    @abstractmethod
    def check_labels(
        self,
        y: Tensor,
        mask: Tensor,
        num_nodes: int,
        name: str = 'mask',
        allow_none: bool = False,
        num_outputs: int | None = None,
    ) -> None:
        r"""Expects labels of the right type, shape and values, where
        :obj:`mask` selects a node, which fit the number of outputs of a
        network.

        Args:
            y (Tensor): The labels.
            mask (Tensor): Which nodes are labelled, as a mask or as indices.
            num_nodes (int): The number of nodes.
            name (str, optional): What errors call the mask.
                (default: :obj:`'mask'`)
            allow_none (bool, optional): Whether there may be no labelled
                node. (default: :obj:`False`)
            num_outputs (int, optional): The number of outputs per node, if it
                is known. (default: :obj:`None`)
        """

    @abstractmethod
    def log_prob(self, out: Tensor, y: Tensor) -> Tensor:
        r"""The log-likelihood of the labels :obj:`y` of :math:`n` nodes, for
        outputs of shape :obj:`[..., n, C]`: of shape :obj:`[..., n]`.
        """

    @abstractmethod
    def mean(self, out: Tensor) -> Tensor:
        r"""What is to be averaged over graphs, one row for each row of
        :obj:`out`.
        """

    @abstractmethod
    def calibrated(self, mean: Tensor) -> Any:
        r"""The prediction, from the average of :meth:`mean` over graphs, at
        the temperature of predictions: a tensor with a row for each node, or
        a named tuple of such tensors.
        """

    @abstractmethod
    def evaluate(
        self, prediction: Any, y: Tensor, mask: Tensor
    ) -> tuple[float, float]:
        r"""The score of predictions, the higher the better, and the mean
        negative log-likelihood, on the nodes that :obj:`mask` selects.
        """

    @abstractmethod
    def tempered(
        self, prediction: Any, y: Tensor, mask: Tensor
    ) -> Callable[[float], float]:
        r"""The log-likelihood of all labels that :obj:`mask` selects, as a
        function of the temperature that predictions are scaled by.
        """


def check_outputs(out: Tensor) -> None:
    r"""Expects the outputs of a network, at least one for each node."""
    shape = '[..., n, C]'
    check_tensor(out, shape, 'out')
    if out.dim() < 2 or out.size(-1) < 1 or not out.is_floating_point():
        raise ValueError(
            f"'out' must hold floating-point outputs of shape {shape}, got "
            f'{out.dtype} of shape {list(out.shape)}'
        )


class EntryLikelihood(Likelihood):
    r"""A likelihood of several independent entries per node

    .. math::
        p(\mathbf{y}_n \mid \mathbf{f}_n) = \prod_d p(y_{nd} \mid f_{nd}),

    with one output for each. Entries that are NaN are unknown: they have no
    part in the product. A labelled node must have at least one known entry.
    """

    @abstractmethod
    def check_values(self, y: Tensor) -> None:
        r"""Expects known entries of the right values."""

    @abstractmethod
    def check_shape(
        self, y: Tensor, num_nodes: int, num_outputs: int | None
    ) -> None:
        r"""Expects labels of the right type and shape."""

    @abstractmethod
    def log_prob_of_entries(self, out: Tensor, y: Tensor) -> Tensor:
        r"""The log-likelihood of each entry, of the shape of :obj:`out`."""

    @abstractmethod
    def parts(self, prediction: Any) -> tuple[Tensor, ...]:
        r"""The tensors of a prediction, checked."""

    @abstractmethod
    def predicted_log_prob(
        self, parts: tuple[Tensor, ...], y: Tensor, temperature: float
    ) -> Tensor:
        r"""The log-probability of each entry under a prediction that is scaled
        by a temperature.
        """

    @abstractmethod
    def score_of(
        self, parts: tuple[Tensor, ...], y: Tensor, known: Tensor
    ) -> float:
        r"""The score of a prediction."""

    def check_labels(
        self,
        y: Tensor,
        mask: Tensor,
        num_nodes: int,
        name: str = 'mask',
        allow_none: bool = False,
        num_outputs: int | None = None,
    ) -> None:
        check_tensor(y, f'[{num_nodes}, ...]', 'y')
        self.check_shape(y, num_nodes, num_outputs)
        nodes = selected_nodes(mask, num_nodes, name, allow_none)
        given = as_matrix(y)[nodes.to(y.device)]
        unknown = int(given.isnan().all(dim=-1).sum())
        if unknown > 0:
            raise ValueError(
                f"'y' must have a known entry for each node that '{name}' "
                f'selects, got {unknown} nodes with NaN only: leave them out '
                f"of '{name}'"
            )
        self.check_values(given)

    def log_prob(self, out: Tensor, y: Tensor) -> Tensor:
        r"""The log-likelihood of the labels :obj:`y`, for outputs of shape
        :obj:`[..., n, D]`: of shape :obj:`[..., n]`.
        """
        check_outputs(out)
        check_tensor(y, f'[{out.size(-2)}, ...]', 'y')
        self.check_shape(y, out.size(-2), out.size(-1))
        if on_host(y):  # elsewhere a step would wait for it
            self.check_values(y)
        y, known = _known(as_matrix(y).to(out.dtype))
        log_prob = self.log_prob_of_entries(out, y)
        return log_prob.masked_fill(~known, 0.0).sum(dim=-1)

    def evaluate(
        self, prediction: Any, y: Tensor, mask: Tensor
    ) -> tuple[float, float]:
        parts, y, known = self._selected(prediction, y, mask)
        log_prob = self.predicted_log_prob(parts, y, 1.0)
        nll = -log_prob.masked_fill(~known, 0.0).sum(dim=-1).mean()
        return self.score_of(parts, y, known), float(nll)

    def tempered(
        self, prediction: Any, y: Tensor, mask: Tensor
    ) -> Callable[[float], float]:
        parts, y, known = self._selected(prediction, y, mask)

        def log_likelihood(temperature: float) -> float:
            log_prob = self.predicted_log_prob(parts, y, temperature)
            return float(log_prob[known].sum())

        return log_likelihood

    def _selected(
        self, prediction: Any, y: Tensor, mask: Tensor
    ) -> tuple[tuple[Tensor, ...], Tensor, Tensor]:
        r"""What a mask selects of a prediction and of labels, as precise as
        the device can be, and which entries are known.
        """
        parts = tuple(map(as_matrix, self.parts(prediction)))
        num_nodes, num_outputs = parts[0].shape
        self.check_labels(y, mask, num_nodes, num_outputs=num_outputs)
        dtype = wide(y.device)
        y, known = _known(as_matrix(y)[mask].to(dtype))
        return tuple(part[mask].to(dtype) for part in parts), y, known


def as_matrix(y: Tensor) -> Tensor:
    r"""Labels of shape :obj:`[N]` or :obj:`[N, D]`, as :obj:`[N, D]`."""
    return y.unsqueeze(-1) if y.dim() == 1 else y


def _known(y: Tensor) -> tuple[Tensor, Tensor]:
    r"""Labels with zeros in place of unknown entries, and which ones are
    known.
    """
    known = torch.isnan(y).logical_not_()
    return y.masked_fill(~known, 0.0), known
