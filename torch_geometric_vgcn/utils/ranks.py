import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.utils.constraints import check_kind

if dist.is_available():
    # Its functions have the default process group as a default argument. If
    # DistributedDataParallel were the first to import it, that would be the
    # group in use: then destroy_process_group() doesn't free it, its threads
    # outlive the interpreter, and now and then abort the process.
    import torch.distributed.nn.functional  # noqa: F401


class Ranks:
    r"""The processes that train together.

    Args:
        rank (int, optional): The rank of this process. (default: :obj:`0`)
        world (int, optional): The number of processes. (default: :obj:`1`)
    """

    def __init__(self, rank: int = 0, world: int = 1) -> None:
        self.rank = rank
        self.world = world

    @classmethod
    def of_group(cls) -> 'Ranks':
        r"""The processes of the default group of :mod:`torch.distributed`
        (from :obj:`torchrun`), or this process alone. Raises an error if
        there are several that aren't connected: each would train by itself.
        """
        if not (dist.is_available() and dist.is_initialized()):
            world = os.environ.get('WORLD_SIZE', '1')
            if 'RANK' in os.environ and world != '1':
                raise RuntimeError(
                    f'torchrun started {world} processes, but nothing '
                    'connects them: make the learner and train it inside '
                    "'with torch_geometric_vgcn.training.process_group():'"
                )
            return cls()
        return cls(dist.get_rank(), dist.get_world_size())

    def sum(self, value: Tensor) -> Tensor:
        r"""The sum of the values of all processes."""
        if self.world > 1:
            value = value.clone()
            dist.all_reduce(value)
        return value

    def all_of(self, value: Tensor) -> list[Tensor]:
        r"""The values of all processes, which have the same shape."""
        if self.world == 1:
            return [value]
        out = [torch.empty_like(value) for _ in range(self.world)]
        dist.all_gather(out, value)
        return out

    def joined(self, value: Tensor) -> Tensor:
        r"""The values of all processes, one after the other, which may have
        different numbers of rows.
        """
        if self.world == 1:
            return value
        counts = [int(n) for n in self.all_of(torch.tensor(len(value)))]
        padded = value.new_zeros(max(counts), *value.shape[1:])
        padded[: len(value)] = value
        parts = self.all_of(padded)
        return torch.cat(
            [part[:n] for part, n in zip(parts, counts, strict=True)]
        )

    def wait(self) -> None:
        r"""Waits for all processes."""
        if self.world > 1:
            dist.barrier()

    @contextmanager
    def explaining(self) -> Iterator[None]:
        r"""Explains the error of a lost connection: another process died."""
        try:
            yield
        except RuntimeError as error:
            if self.world == 1 or 'gloo' not in str(error):
                raise
            raise RuntimeError(
                f'process {self.rank} lost the connection to another one of '
                f'{self.world}, whose own output tells why it ended: the last '
                "'checkpoint' is whole, and the same call resumes from it"
            ) from error

    def from_first(
        self, pair: Callable[[], tuple[float, float]]
    ) -> tuple[float, float]:
        r"""Two numbers, computed by the first process for all."""
        if self.world == 1:
            return pair()
        value = torch.zeros(2, dtype=torch.double)
        if self.rank == 0:
            value = torch.tensor(pair(), dtype=torch.double)
        dist.broadcast(value, src=0)
        return float(value[0]), float(value[1])


@contextmanager
def process_group(backend: str = 'gloo') -> Iterator[Ranks]:
    r"""The processes that :obj:`torchrun` started, inside a :obj:`with`
    block; without :obj:`torchrun`, this process alone.

    At the end, the threads that talk to other processes end while Python
    still runs. Otherwise they may outlive it, and then PyTorch aborts the
    process (*terminate called without an active exception*) after all its
    work was done. A :class:`~torch.nn.parallel.DistributedDataParallel` of
    one's own must not outlive the block.

    Args:
        backend (str, optional): The backend of :mod:`torch.distributed`.
            (default: :obj:`'gloo'`)
    """
    check_kind(backend, str, 'backend')
    if 'RANK' not in os.environ:
        yield Ranks()
        return
    store, rank, world = next(dist.rendezvous('env://'))
    # After a restart, PyTorch's store still has the addresses of processes
    # that died, and those who read them wait for ever:
    attempt = os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')
    store = dist.PrefixStore(f'attempt-{attempt}', store)
    dist.init_process_group(backend, store=store, rank=rank, world_size=world)
    try:
        yield Ranks.of_group()
        dist.barrier()
    finally:
        gc.collect()  # what is left of models that use the group
        dist.destroy_process_group()


def distributed(learner: Module, left_out: list[str]) -> Module:
    r"""The learner with the mean of the gradients of all processes, except
    for some parameters and buffers.
    """
    ddp = torch.nn.parallel.DistributedDataParallel
    # The way that PyTorch's own libraries leave parameters out:
    ddp._set_params_and_buffers_to_ignore_for_model(learner, left_out)
    try:
        return ddp(learner)
    finally:
        del learner._ddp_params_and_buffers_to_ignore
