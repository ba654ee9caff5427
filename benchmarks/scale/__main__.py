r"""Memory, time and traffic of partitioned graphs: one, two and four processes
on the same graph, and one process on graphs of several sizes.

    python benchmarks/scale                                 # a million nodes
    python benchmarks/scale --nodes 4000000 --worlds 4 --sizes
    python benchmarks/scale/pubmed.py                       # accuracy

Writes docs/scale.json.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / 'examples'))
import million_nodes  # noqa: E402


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add('--nodes', type=int, default=1_000_000)
    add('--worlds', type=int, nargs='*', default=[1, 2, 4])
    add('--sizes', type=int, nargs='*', default=[10_000, 100_000, 1_000_000])
    add('--cluster-size', type=int, default=2000)
    add('--batch-size', type=int, default=5)
    add('--shards', type=int, default=4)
    add('--epochs', type=int, default=2)
    add('--work', type=Path, help='folder for the graphs')
    add('--out', type=Path, default=ROOT / 'docs' / 'scale.json')
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
    launcher = ['-m', 'torch.distributed.run', '--standalone']
    launcher += [f'--nproc_per_node={world}'] if world > 1 else []
    launcher = launcher if world > 1 else []
    with TemporaryDirectory() as out:
        command = [sys.executable, '-W', 'ignore', *launcher, worker]
        command += [str(graph), str(args.batch_size), str(args.epochs), out]
        subprocess.run(command, check=True)
        files = sorted(Path(out).iterdir())
        return [json.loads(path.read_text()) for path in files]


def main() -> None:
    args = arguments()
    with TemporaryDirectory() as temporary:
        work = args.work or Path(temporary)
        runs = []
        for world in args.worlds:
            graph = graph_of(work, args.nodes, args.shards, args)
            runs.append(measured(graph, world, args))
            print(json.dumps(runs[-1]), flush=True)
        for nodes in args.sizes:
            # One shard, so that even the smallest has a whole batch:
            graph = graph_of(work, nodes, 1, args)
            runs.append(measured(graph, 1, args))
            print(json.dumps(runs[-1]), flush=True)
    known = []
    if args.out.exists():
        known = json.loads(args.out.read_text())
    args.out.write_text(json.dumps(known + runs, indent=1))


if __name__ == '__main__':
    main()
