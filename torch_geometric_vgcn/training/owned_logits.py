import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer

from torch_geometric_vgcn.posterior import FreePosterior
from torch_geometric_vgcn.utils.ranks import Ranks


class OwnedLogits:
    r"""The logits with sparse gradients (:obj:`FreePosterior(sparse=True)`),
    where each process trains those of its own clusters.

    Each process holds all of them, but between two calls of :meth:`gather`
    only its own are up to date. Of a posterior whose logits are shared out
    over the processes (:obj:`is_sharded`), nothing needs to be gathered.

    Args:
        learner (torch.nn.Module): The learner.
        ranks (Ranks): The processes that train together.
    """

    def __init__(self, learner: Module, ranks: Ranks) -> None:
        self.ranks = ranks
        sparse = {
            f'{name}.offset': module
            for name, module in learner.named_modules()
            if isinstance(module, FreePosterior) and module.sparse
        }
        self.parameters = {name: part.offset for name, part in sparse.items()}
        self._copied: list[Tensor] = [
            part.offset for part in sparse.values() if not part.is_sharded
        ]
        self._touched: Tensor | None = None
        if ranks.world > 1 and self._copied:
            offset = self._copied[0]
            self._touched = torch.zeros_like(offset, dtype=torch.bool)

    def touch(self, position: Tensor | None) -> None:
        r"""Records the pairs of a batch of this process, and divides their
        gradient by the number of processes: the loss is the mean over the
        batches of all processes.
        """
        if self._touched is None:
            return
        self._touched[slice(None) if position is None else position] = True
        for offset in self._copied:
            if offset.grad is not None:
                offset.grad = offset.grad / self.ranks.world

    @torch.no_grad()
    def gather(self) -> None:
        r"""Brings all logits up to date in all processes."""
        self._gather(self._copied)

    def gather_moments(self, optimizers: list[Optimizer]) -> None:
        r"""Brings all moments of the logits up to date in all processes."""
        self._gather(
            [
                value
                for optimizer in optimizers
                for offset in self._copied
                for value in optimizer.state.get(offset, {}).values()
                if isinstance(value, Tensor) and value.shape == offset.shape
            ]
        )

    def _gather(self, values: list[Tensor]) -> None:
        touched = self._touched
        if touched is None:
            return
        owners = self.ranks.sum(touched.to(torch.uint8))
        if int(owners.max()) > 1:
            raise ValueError(
                "'loader' must have clusters of its own in each process, got "
                f'{int((owners > 1).sum())} pairs in several: give it a '
                'SubsetRandomSampler of range(rank, num_parts, world_size)'
            )
        for value in values:
            total = self.ranks.sum(value * touched)
            value.copy_(torch.where(owners > 0, total, value))
