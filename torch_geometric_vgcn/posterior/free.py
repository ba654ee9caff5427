from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import Parameter

from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.posterior.base import Posterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.utils import FLAG, check_kind, checked


class FreePosterior(Posterior):
    r"""One free logit per pair,
    :math:`\theta_{ij} = \theta^o_{ij} + \delta_{ij}`: the paper's free
    parametrisation. It starts at :math:`\delta = 0`.

    Args:
        sparse (bool, optional): If set to :obj:`True`, the gradient is a
            sparse tensor of the pairs in the mini-batch, as that of
            :class:`torch.nn.Embedding`: with :class:`torch.optim.SparseAdam`
            the cost of a step is that of its pairs, and other logits and
            their moments stay as they are. (default: :obj:`False`)
    """

    # Whether each process holds its own logits only:
    is_sharded: ClassVar[bool] = False

    offset: Parameter

    @checked(sparse=FLAG)
    def __init__(self, sparse: bool = False) -> None:
        super().__init__()
        self.sparse = sparse

    def initialize_from(self, prior: Prior) -> None:
        check_kind(prior, Prior, 'prior')
        # In a tuple, as they aren't a part of this module:
        self._pairs = (prior.pairs,)
        self.offset = Parameter(torch.zeros_like(prior.logits))

    def forward(self, prior: Prior, x: Tensor | None = None) -> Tensor:
        super().check_prior(prior)
        position = self._position(prior.pairs)
        if self.sparse:
            if position is None:
                position = torch.arange(
                    self.offset.numel(), device=self.offset.device
                )
            return prior.logits + _Selected.apply(self.offset, position)
        offset = self.offset if position is None else self.offset[position]
        return prior.logits + offset

    def check_prior(self, prior: Prior) -> None:
        super().check_prior(prior)
        self._position(prior.pairs)

    def _position(self, pairs: Pairs) -> Tensor | None:
        r"""Where the logits of some pairs stand, or :obj:`None` for all."""
        (own,) = self._pairs
        try:
            return pairs.places_in(own)
        except ValueError as error:
            raise ValueError(
                f'FreePosterior has a logit for each of its own {len(own)} '
                f'pairs and no others, got a prior of {len(pairs)} pairs, not '
                'all of them its own: use AmortizedPosterior for other graphs '
                'or unseen nodes'
            ) from error

    def extra_repr(self) -> str:
        return 'sparse=True' if self.sparse else ''


class _Selected(torch.autograd.Function):
    r"""Some elements, each once, with a sparse gradient."""

    @staticmethod
    def forward(ctx: Any, value: Tensor, position: Tensor) -> Tensor:
        ctx.save_for_backward(position)
        ctx.size = value.shape
        return value.index_select(0, position)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:
        (position,) = ctx.saved_tensors
        sparse = torch.sparse_coo_tensor(
            position.unsqueeze(0), grad, ctx.size, check_invariants=False
        )
        return sparse, None
