from collections.abc import Callable

import torch
import torch.distributed as dist
from torch import Tensor


class Ranks:
    r"""The processes that train together.

    Args:
        rank (int, optional): The number of this one. (default: :obj:`0`)
        world (int, optional): How many there are. (default: :obj:`1`)
    """

    def __init__(self, rank: int = 0, world: int = 1) -> None:
        self.rank = rank
        self.world = world

    @classmethod
    def of_group(cls) -> 'Ranks':
        r"""Those of the default group of :mod:`torch.distributed` (from
        :obj:`torchrun`), or this one alone.
        """
        if not (dist.is_available() and dist.is_initialized()):
            return cls()
        return cls(dist.get_rank(), dist.get_world_size())

    def sum(self, value: Tensor) -> Tensor:
        r"""The sum of what each process has."""
        if self.world > 1:
            value = value.clone()
            dist.all_reduce(value)
        return value

    def all_of(self, value: Tensor) -> list[Tensor]:
        r"""What each process has, of the same shape."""
        if self.world == 1:
            return [value]
        out = [torch.empty_like(value) for _ in range(self.world)]
        dist.all_gather(out, value)
        return out

    def from_first(
        self, pair: Callable[[], tuple[float, float]]
    ) -> tuple[float, float]:
        r"""Two numbers that the first process computes."""
        if self.world == 1:
            return pair()
        value = torch.zeros(2, dtype=torch.double)
        if self.rank == 0:
            value = torch.tensor(pair(), dtype=torch.double)
        dist.broadcast(value, src=0)
        return float(value[0]), float(value[1])
