r"""Memory, time and traffic of graphs on disk: one, two and four processes on
the same graph, and one process on graphs of several sizes.

    python benchmarks/scale                                 # 10^5 nodes
    python benchmarks/scale --nodes 4000000 --worlds 4 --sizes

Writes docs/results/scale.json and scale.md; figures of other numbers of nodes
and processes are kept.
"""

import argparse
import gc
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch_geometric import seed_everything
from torch_geometric.nn import GCN

ROOT = Path(__file__).resolve().parents[2]
for name in ('examples', '.'):
    sys.path.insert(1, str(ROOT / name))
import million_nodes  # noqa: E402

from benchmarks.harness.results import table  # noqa: E402
from benchmarks.speed.measure import _status as status  # noqa: E402
from benchmarks.speed.measure import peak  # noqa: E402
from torch_geometric_vgcn import (  # noqa: E402
    ELBO,
    LogisticKL,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.scale import (  # noqa: E402
    ShardedPosterior,
    StoredClusters,
    StoredGraph,
)
from torch_geometric_vgcn.training import process_group  # noqa: E402

SAMPLES = 3  # graphs per step
TEXT = """# Graphs on disk

From `python benchmarks/scale`: a block model with communities of a thousand nodes, twenty candidates per node, a tenth of which lead to random nodes; 32 features, a GCN of two layers with 16 hidden units, three graphs per step; clusters of a thousand nodes, two per batch, four batches per step; one thread per process.

Memory is the peak of a process above that of Python with all packages loaded (*base*), in training and validation. Seconds are processor time of a process per epoch, that of validation included. *Wire* is what went over the loopback interface per epoch, of all processes together, headers included.
"""  # noqa: E501


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add('--nodes', type=int, default=100_000)
    add('--worlds', type=int, nargs='*', default=[1, 2])
    add('--sizes', type=int, nargs='*', default=[10_000, 100_000])
    add('--epochs', type=int, default=2)
    add('--out', type=Path, default=ROOT / 'docs' / 'results')
    add('--graph', type=Path, help='measure a process on this graph')
    return parser.parse_args()


def wire() -> int:
    r"""The bytes that all processes of this machine have sent each other
    (Linux).
    """
    for line in Path('/proc/net/dev').read_text().splitlines():
        name, _, numbers = line.partition(':')
        if name.strip() == 'lo':
            return int(numbers.split()[8])
    raise RuntimeError('/proc/net/dev has no loopback interface')


def measure(graph: StoredGraph, epochs: int, together: int) -> dict[str, Any]:
    r"""What one process needs."""
    seed_everything(0)
    net = GCN(graph.num_features, 16, 2, million_nodes.CLASSES, dropout=0.5)
    prior, posterior = graph.prior(), ShardedPosterior()
    objective = ELBO(LogisticKL())
    learner = VariationalGraphLearner(
        net, prior, posterior, objective=objective
    )
    loader = StoredClusters(graph, 2, together)
    used, sent = resource.getrusage(resource.RUSAGE_SELF), wire()
    start = time.perf_counter()
    result = fit(learner, graph, loader, epochs=epochs, progress=False)
    now = resource.getrusage(resource.RUSAGE_SELF)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return {
        'nodes': graph.num_nodes,
        'pairs': graph.num_pairs,
        'owned': len(posterior.own),
        'peak MB': peak(),
        'cpu s': cpu / epochs,
        'wall s': (time.perf_counter() - start) / epochs,
        'wire MB': (wire() - sent) / epochs / 2**20,
        'loss': result.history[-1]['loss'],
    }


def worker(args: argparse.Namespace) -> None:
    r"""One process of a run, which prints what it measured."""
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder, process_group() as ranks:
        # So that all libraries are loaded:
        measure(written(Path(folder), 8000), 1, ranks.world)
        gc.collect()
        Path('/proc/self/clear_refs').write_text('5')  # forget the peak
        base, graph = status('VmRSS'), StoredGraph(args.graph)
        ranks.wait()
        row = measure(graph, args.epochs, 4)
        row |= {'rank': ranks.rank, 'world': ranks.world, 'base MB': base}
        print(f'{json.dumps(row)}\n', end='', flush=True)


def written(folder: Path, nodes: int) -> StoredGraph:
    r"""A graph on disk."""
    args = argparse.Namespace(nodes=nodes, degree=20, cluster_size=1000)
    args.batch_size, args.together, args.metis = 2, 4, False
    million_nodes.partition(folder, args)
    return StoredGraph(folder / 'graph')


def launched(graph: Path, world: int, epochs: int) -> list[dict[str, Any]]:
    r"""What each process of a run measured."""
    command = [sys.executable, '-W', 'ignore', '-m', 'torch.distributed.run']
    command += ['--standalone', f'--nproc_per_node={world}', __file__]
    command += ['--graph', str(graph), '--epochs', str(epochs)]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True
    )
    lines = [x for x in done.stdout.splitlines() if x.startswith('{')]
    return sorted(map(json.loads, lines), key=lambda row: int(row['rank']))


def page(runs: list[list[dict[str, Any]]]) -> str:
    r"""All runs, in Markdown."""
    rows = []
    for run in runs:
        first, worst = run[0], max(run, key=lambda row: row['peak MB'])
        cost = 1e9 * sum(row['cpu s'] for row in run) / first['pairs']
        rows.append(
            [
                f'{first["nodes"]:,}',
                f'{first["pairs"]:,}',
                str(first['world']),
                f'{first["owned"]:,}',
                f'{first["base MB"]:.0f}',
                f'{worst["peak MB"] - worst["base MB"]:.0f}',
                f'{max(row["cpu s"] for row in run):.1f}',
                f'{cost / SAMPLES:.0f}',
                f'{first["wire MB"]:.1f}',
                f'{first["loss"]:.6f}',
            ]
        )
    head = [
        'nodes', 'candidates', 'processes', 'logits of one', 'base MB',
        'peak MB above base', 's', 'ns per candidate and graph', 'MB wire',
        'loss',
    ]  # fmt: skip
    return f'{TEXT}\n{table(head, rows)}\n'


def main() -> None:
    args = arguments()
    if args.graph is not None:
        worker(args)
        return
    path = args.out / 'scale.json'
    runs = json.loads(path.read_text()) if path.exists() else []
    todo = {(args.nodes, world) for world in args.worlds}
    todo |= {(nodes, 1) for nodes in args.sizes}
    known = {(run[0]['nodes'], run[0]['world']): run for run in runs}
    for nodes in sorted({nodes for nodes, _ in todo}):
        with TemporaryDirectory() as folder:
            graph = written(Path(folder), nodes).folder
            for world in sorted(w for n, w in todo if n == nodes):
                known[nodes, world] = launched(graph, world, args.epochs)
    runs = [known[key] for key in sorted(known)]
    path.write_text(json.dumps(runs, indent=1) + '\n')
    (args.out / 'scale.md').write_text(page(runs))
    print(page(runs))


if __name__ == '__main__':
    main()
