r"""One process of a measured run: an epoch of training and one of validation
on a partitioned graph that was made before. Writes what it measured.
"""

import json
import os
import resource
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist

sys.path.insert(0, str(Path(__file__).parent.parent / 'speed'))
from measure import _status as status  # noqa: E402
from measure import peak  # noqa: E402
from torch_geometric import seed_everything  # noqa: E402
from torch_geometric.nn import GCN  # noqa: E402
from torch_geometric_vgcn.training.partitioned_run import (  # noqa: E402
    PartitionedRun,
    Settings,
)

from torch_geometric_vgcn import (  # noqa: E402
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.partition import (  # noqa: E402
    PartitionedGraph,
    PartitionedLearner,
)
from torch_geometric_vgcn.training import process_group  # noqa: E402


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def wire() -> int:
    r"""The bytes that all processes of this machine have sent each other,
    headers included (Linux).
    """
    for line in Path('/proc/net/dev').read_text().splitlines():
        name, _, numbers = line.partition(':')
        if name.strip() == 'lo':
            return int(numbers.split()[8])
    raise RuntimeError('/proc/net/dev has no loopback interface')


def wait() -> None:
    r"""Until all processes are here."""
    if dist.is_initialized():
        dist.barrier()


def warm_up() -> None:
    r"""A step on nine nodes, so that all libraries are loaded."""
    prior = SmoothedPrior(torch.arange(9).unfold(0, 2, 1).t(), 9)
    net = GCN(32, 16, 2, 7, dropout=0.5)
    learner = VariationalGraphLearner(net, prior, FreePosterior())
    optimizer = torch.optim.Adam(learner.parameters(), fused=True)
    x, node = torch.randn(9, 32), torch.arange(7)
    out = learner(x, num_samples=3)
    learner.objective(out, torch.arange(9) % 7, node).loss.backward()
    optimizer.step()


def measure(folder: Path, batch_size: int, epochs: int) -> dict:
    warm_up()
    base = status('VmRSS')
    graph = PartitionedGraph(folder)
    seed_everything(0)
    learner = PartitionedLearner(GCN(32, 16, 2, 7, dropout=0.5), graph)
    settings = Settings(
        epochs, 0.01, 0.01, torch.optim.Adam, 5e-4, 3, 50, None, 1, False
    )
    run = PartitionedRun(learner, batch_size, settings)
    rows = []
    for epoch in range(epochs):
        wait()
        sent, on_wire = run.exchange.sent, wire()
        start, wall = cpu(), time.perf_counter()
        bound = run.train_epoch(epoch)
        middle, trained = cpu(), time.perf_counter()
        wait()
        on_wire = wire() - on_wire
        acc, _ = run.validate(epoch)
        rows.append(
            {
                'loss': float(bound.loss),
                'val_acc': acc,
                'train cpu': middle - start,
                'train wall': trained - wall,
                'validate cpu': cpu() - middle,
                'sent': run.exchange.sent - sent,
                'wire': on_wire,
            }
        )
    run.keep_best()  # which is part of training
    world = learner.ranks.world
    weights = sum(p.numel() for p in learner.conv.parameters())
    return {
        'rank': learner.ranks.rank,
        'world': world,
        'nodes': graph.num_nodes,
        'pairs': graph.num_pairs,
        'owned': sum(p.numel() for p in learner.posterior.parameters()),
        'steps': run.rounds.num_steps,
        # A ring sends each number twice, less the own share:
        'network': 8 * weights * (world - 1) / world * run.rounds.num_steps,
        'base MB': base,
        'peak MB': peak(),
        'epochs': rows,
    }


if __name__ == '__main__':
    folder, batch_size, epochs, out = sys.argv[1:]
    torch.set_num_threads(1)
    with process_group():
        row = measure(Path(folder), int(batch_size), int(epochs))
        rank = os.environ.get('RANK', '0')
        Path(out, f'rank-{rank}.json').write_text(json.dumps(row))
