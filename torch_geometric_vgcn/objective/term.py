from abc import ABC, abstractmethod

from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.checks import check_kind, selected_nodes
from torch_geometric_vgcn.checks.once import CheckOnce
from torch_geometric_vgcn.objective.likelihood import check_outputs


class Term(Module, ABC):
    r"""A further term of the loss, of the network's outputs at nodes without
    a label.

    .. code-block:: python

        out = learner(x, num_samples=3)
        loss = learner.objective(out, y, train_mask).loss
        loss = loss + term(out, ~train_mask)

    :func:`~torch_geometric_vgcn.fit` does the same with all of its
    :obj:`terms`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._once = CheckOnce()

    def reset_parameters(self) -> None:
        r"""Starts again, if the term counts its calls."""

    def forward(self, out: Tensor, mask: Tensor) -> Tensor:
        r"""The term, a scalar to be minimised.

        Args:
            out (Tensor): The outputs, of shape :obj:`[S, N, C]`, or
                :obj:`[N, C]` for one graph.
            mask (Tensor): The nodes to look at, as a mask or as indices. If
                there are none, the term is zero.
        """
        check_outputs(out)
        check_kind(mask, Tensor, 'mask')
        out = out if out.dim() > 2 else out.unsqueeze(0)
        n = out.size(1)
        self._once(f'mask[{n}]', lambda mask: _check(mask, n), mask)
        return self.loss(out[:, mask])

    @abstractmethod
    def loss(self, out: Tensor) -> Tensor:
        r"""The term itself, from outputs of shape :obj:`[S, n, C]`."""


def _check(mask: Tensor, num_nodes: int) -> None:
    selected_nodes(mask, num_nodes, allow_none=True)
