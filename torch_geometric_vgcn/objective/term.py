from abc import ABC, abstractmethod

from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.objective.likelihood.base import check_outputs
from torch_geometric_vgcn.utils import Inputs, check_kind, check_labels


class Term(Module, ABC):
    r"""A further term of the loss, such as one on nodes without a label, for
    labels that are classes (:class:`Categorical`).

    .. code-block:: python

        out = learner(x, num_samples=3)
        loss = learner.objective(out, y, mask).loss + term(out, y, mask)

    :func:`~torch_geometric_vgcn.fit` does the same with all of its
    :obj:`terms`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._inputs = Inputs()

    def reset_parameters(self) -> None:
        r"""Starts again, if the term counts its steps."""

    @property
    def settled(self) -> bool:
        r"""Whether the term has its full weight. :func:`fit` chooses its best
        epoch from then on.
        """
        return True

    def forward(self, out: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        r"""The term, a scalar to be minimised.

        Args:
            out (Tensor): The outputs, of shape :obj:`[S, N, C]`, or
                :obj:`[N, C]` for one graph.
            y (Tensor): The classes, of shape :obj:`[N]`. Those outside of
                :obj:`mask` aren't used.
            mask (Tensor): Which nodes are labelled, as a mask or as indices.
                There may be none.
        """
        check_outputs(out)
        if out.dim() > 3:
            raise ValueError(
                "'out' must have shape [N, C] or [S, N, C], got "
                f'{list(out.shape)}'
            )
        check_kind(mask, Tensor, 'mask')
        out = out if out.dim() > 2 else out.unsqueeze(0)
        n, num_classes = out.shape[1:]
        self._inputs.check_labels(
            check_labels, y, mask, n, num_classes, allow_none=True
        )
        return self.loss(out, y, mask)

    @abstractmethod
    def loss(self, out: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        r"""The term itself, from outputs of shape :obj:`[S, N, C]`."""
