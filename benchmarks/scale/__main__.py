r"""Memory, time and traffic of partitioned graphs: one, two and four processes
on the same graph, and one process on graphs of several sizes.

    python benchmarks/scale                                 # a million nodes
    python benchmarks/scale --nodes 4000000 --worlds 4 --sizes
    python benchmarks/scale/pubmed.py                       # accuracy

Writes docs/results/scale.json and scale.md; figures of other numbers of nodes
and processes are kept.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[2]
for name in ('examples', 'benchmarks/paper'):
    sys.path.insert(1, str(ROOT / name))
import million_nodes  # noqa: E402
from scale_page import kind, page  # noqa: E402


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add('--nodes', type=int, default=1_000_000)
    add('--worlds', type=int, nargs='*', default=[1, 2, 4])
    add('--sizes', type=int, nargs='*', default=[10_000, 100_000, 1_000_000])
    add('--cluster-size', type=int, default=1000)
    add('--batch-size', type=int, default=2)
    add('--shards', type=int, default=4)
    add('--epochs', type=int, default=1)
    add('--work', type=Path, help='folder for the graphs')
    add('--out', type=Path, default=ROOT / 'docs' / 'results')
    return parser.parse_args()


def graph_of(folder: Path, nodes: int, shards: int, args) -> Path:
    r"""A partitioned graph, which is made once."""
    folder = folder / f'{nodes}-{shards}'
    if not (folder / 'graph' / 'manifest.json').exists():
        own = argparse.Namespace(
            nodes=nodes,
            degree=20,
            cluster_size=args.cluster_size,
            batch_size=args.batch_size,
            shards=shards,
            metis=False,
        )
        million_nodes.partition(folder, own)
        for path in (folder / 'raw').iterdir():
            path.unlink()
    return folder / 'graph'


def measured(graph: Path, world: int, args: argparse.Namespace) -> list[dict]:
    r"""What each process of a run measured."""
    worker = str(Path(__file__).parent / 'worker.py')
    launcher = []
    if world > 1:
        launcher = ['-m', 'torch.distributed.run', '--standalone']
        launcher += [f'--nproc_per_node={world}']
    with TemporaryDirectory() as out:
        command = [sys.executable, '-W', 'ignore', *launcher, worker]
        command += [str(graph), str(args.batch_size), str(args.epochs), out]
        subprocess.run(command, check=True)
        files = sorted(Path(out).iterdir())
        return [json.loads(path.read_text()) for path in files]


def main() -> None:
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / 'scale.json'
    runs = json.loads(path.read_text()) if path.exists() else []
    # One shard, so that even the smallest has a whole batch:
    todo = [(args.nodes, args.shards, world) for world in args.worlds]
    todo += [(nodes, 1, 1) for nodes in args.sizes]
    with TemporaryDirectory() as temporary:
        for nodes, shards, world in tqdm(todo, desc='runs'):
            graph = graph_of(args.work or Path(temporary), nodes, shards, args)
            new = {
                'shards': shards,
                'cluster size': args.cluster_size,
                'batch size': args.batch_size,
                'processes': measured(graph, world, args),
            }
            runs = [run for run in runs if kind(run) != kind(new)] + [new]
            runs.sort(key=kind)
            path.write_text(json.dumps(runs, indent=1) + '\n')
    (args.out / 'scale.md').write_text(page(runs))
    print(page(runs))


if __name__ == '__main__':
    main()
