import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch.distributed as dist

from torch_geometric_vgcn.utils import check_kind
from torch_geometric_vgcn.utils.ranks import Ranks


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
