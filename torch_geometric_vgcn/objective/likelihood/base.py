from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.utils import check_positive, check_tensor


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

    def set_temperature(self, temperature: float) -> None:
        r"""Sets the temperature of predictions. Training ignores it."""
        number = check_positive(temperature, 'temperature')
        limit = torch.finfo(self.temperature.dtype)
        self.temperature.fill_(min(max(number, limit.tiny), limit.max))

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
