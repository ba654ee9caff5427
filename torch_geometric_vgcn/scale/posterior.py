from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import Parameter

from torch_geometric_vgcn.posterior import FreePosterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.scale.prior import StoredPrior
from torch_geometric_vgcn.utils import check_kind
from torch_geometric_vgcn.utils.ranks import Ranks


class ShardedPosterior(FreePosterior):
    r"""One free logit per pair of a
    :class:`~torch_geometric_vgcn.scale.StoredGraph`, as
    :obj:`FreePosterior(sparse=True)` has, shared out over all processes: of
    :math:`P` logits each of :math:`W` processes holds :math:`P / W`, with the
    moments of their optimiser, which may be any that takes sparse gradients.

    Each call fetches the logits of its batch from their owners, and its
    backward pass brings their gradients there
    (:func:`torch.distributed.all_to_all_single`). So all processes must call
    it, and go backward, equally often.
    """

    is_sharded = True

    def __init__(self) -> None:
        super().__init__(sparse=True)

    def initialize_from(self, prior: Prior) -> None:
        check_kind(prior, StoredPrior, 'prior')
        assert isinstance(prior, StoredPrior)
        # In a tuple, as they aren't a part of this module:
        self._pairs = (prior.pairs,)
        self._ranks = Ranks.of_group()
        self.total = total = prior.pairs.num_stored
        # As DTensor and torch.chunk share rows out:
        self._most = max(1, -(-total // self._ranks.world))
        self._start = min(total, self._ranks.rank * self._most)
        count = min(self._most, total - self._start)
        self.offset = Parameter(torch.zeros(count, device=prior.pairs.device))

    @property
    def own(self) -> range:
        r"""Where the logits of this process stand among those of all."""
        return range(self._start, self._start + self.offset.numel())

    def forward(self, prior: Prior, x: Tensor | None = None) -> Tensor:
        self.check_prior(prior)
        position = prior.pairs.position
        if position is None:
            raise ValueError(
                "'prior' of a StoredGraph must be that of some nodes, "
                'learner.prior.subset(node_id), as no process holds all '
                'pairs; predict_clusters predicts all nodes'
            )
        return prior.logits + self._fetched(position)

    def _fetched(self, position: Tensor) -> Tensor:
        r"""The elements at some positions, each of which is asked for by one
        process only.
        """
        ranks = self._ranks
        if ranks.world == 1:
            return torch.gather(self.offset, 0, position, sparse_grad=True)
        position, order = position.sort()
        count = (position // self._most).bincount(minlength=ranks.world)
        others = torch.empty_like(count)
        dist.all_to_all_single(others, count)
        wanted, given = count.tolist(), others.tolist()
        asked = position.new_empty(sum(given))
        dist.all_to_all_single(asked, position, given, wanted)
        mine = torch.gather(
            self.offset, 0, asked - self._start, sparse_grad=True
        )
        got = _Exchanged.apply(mine, wanted, given)
        return got[order.argsort()]

    def extra_repr(self) -> str:
        return '' if not self.has_started else f'own={self.own}'


class _Exchanged(torch.autograd.Function):
    r"""Elements on their way from their owners to those who want them. The
    gradient is that of the mean of all processes' losses.
    """

    @staticmethod
    def forward(
        ctx: Any, mine: Tensor, wanted: list[int], given: list[int]
    ) -> Tensor:
        ctx.sizes = wanted, given
        out = mine.new_empty(sum(wanted))
        dist.all_to_all_single(out, mine, wanted, given)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:
        wanted, given = ctx.sizes
        out = grad.new_empty(sum(given))
        dist.all_to_all_single(out, grad.contiguous(), given, wanted)
        return out / len(wanted), None, None
