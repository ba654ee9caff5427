r"""Approximate nearest neighbours of up to a million rows: CellSearch beside
pynndescent and faiss (``pip install pynndescent faiss-cpu``).

    python benchmarks/scale/neighbors.py
    python benchmarks/scale/neighbors.py --rows 10000 --systems CellSearch

A table of 50 features on a curved surface, k = 10, Euclidean distances, one
thread. Each search is a process of its own. Packages that aren't installed
are left out. Writes docs/results/knn.json and knn.md.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

BENCHMARKS = Path(__file__).resolve().parents[1]
for name in ('paper', 'speed', 'tables'):
    sys.path.insert(1, str(BENCHMARKS / name))
from manifold import manifold  # noqa: E402
from markdown_table import table  # noqa: E402
from measure import alone, megabytes  # noqa: E402

from torch_geometric_vgcn.nearest import CellSearch, Minkowski  # noqa: E402

SIZES = (10_000, 100_000, 1_000_000)
NEIGHBORS = 10
#: How many rows the recall is measured on.
QUERIES = 1000


def cells(x: Tensor) -> Tensor:
    return CellSearch(progress=True)(x, NEIGHBORS, Minkowski(2))


def descent(x: Tensor) -> Tensor:
    from pynndescent import NNDescent

    # A row is its own nearest neighbour:
    index = NNDescent(
        x.numpy(), n_neighbors=NEIGHBORS + 1, random_state=0, n_jobs=1
    )
    return torch.from_numpy(index.neighbor_graph[0])[:, 1:]


def inverted(x: Tensor) -> Tensor:
    import faiss

    # As many rows per list, and as many lists, as in CellSearch:
    lists = max(1, x.size(0) // 1024)
    index = faiss.IndexIVFFlat(
        faiss.IndexFlatL2(x.size(1)), x.size(1), lists, faiss.METRIC_L2
    )
    index.train(x.numpy())
    index.add(x.numpy())
    index.nprobe = min(16, lists)
    return torch.from_numpy(index.search(x.numpy(), NEIGHBORS + 1)[1])[:, 1:]


def navigable(x: Tensor) -> Tensor:
    import faiss

    index = faiss.IndexHNSWFlat(x.size(1), 32)
    index.add(x.numpy())
    return torch.from_numpy(index.search(x.numpy(), NEIGHBORS + 1)[1])[:, 1:]


#: By title: the package, and the search.
SYSTEMS: dict[str, tuple[str, Callable[[Tensor], Tensor]]] = {
    'CellSearch': ('torch', cells),
    'pynndescent': ('pynndescent', descent),
    'faiss, IVF': ('faiss', inverted),
    'faiss, HNSW': ('faiss', navigable),
}


def one(system: str, num_rows: int) -> dict:
    r"""Processor seconds, wall-clock seconds, peak memory beside that of the
    table, and recall.
    """
    torch.set_num_threads(1)
    search = SYSTEMS[system][1]
    x = torch.from_numpy(manifold(num_rows)[0]).float()
    search(x[:5000])  # loads and compiles everything
    found: dict = {}

    def run() -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        found['neighbor'] = search(x)
        found['cpu'] = time.process_time() - cpu
        found['wall'] = time.perf_counter() - wall

    peak = megabytes(run)
    rng = np.random.default_rng(0)
    some = torch.from_numpy(rng.choice(num_rows, QUERIES, replace=False))
    return {
        'system': system,
        'rows': num_rows,
        'cpu': found['cpu'],
        'wall': found['wall'],
        'peak_mb': peak,
        'recall': recall(x, some, found['neighbor'][some]),
    }


def recall(x: Tensor, rows: Tensor, neighbor: Tensor) -> float:
    r"""How many of the true nearest rows are among those that were found."""
    distance = torch.cdist(x[rows].double(), x.double())
    distance[torch.arange(rows.numel()), rows] = float('inf')
    true = distance.topk(NEIGHBORS, largest=False).indices
    hit = (true.unsqueeze(2) == neighbor.unsqueeze(1)).any(dim=2)
    return float(hit.double().mean())


def page(rows: list[dict]) -> str:
    r"""The page in Markdown."""
    order = list(SYSTEMS)
    lines = [
        [
            f'{row["rows"]:,}',
            row['system'],
            f'{row["cpu"]:,.1f}',
            f'{row["peak_mb"]:,.0f}',
            f'{row["recall"]:.3f}',
        ]
        for row in sorted(
            rows, key=lambda row: (row['rows'], order.index(row['system']))
        )
    ]
    head = ['rows', 'search', 'CPU seconds', 'peak MB', 'recall']
    text = [
        '# Nearest neighbours of many rows',
        'From `python benchmarks/scale/neighbors.py`: 50 features on a curved '
        'surface, 10 nearest rows by Euclidean distance, one thread, each '
        'search in a process of its own. Memory is in addition to the table '
        '(float32); time is without compilation. Recall is the share of the '
        f'true neighbours of {QUERIES:,} rows that were found. *faiss, IVF* '
        'has lists of 1,024 rows on average and looks at 16 of them, as '
        'CellSearch does with its cells; *faiss, HNSW* has 32 links per row; '
        "pynndescent has its own defaults. The table's rows come from few "
        'dimensions, which suits all of them.',
        table(head, lines),
    ]
    return '\n\n'.join(text) + '\n'


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add('--rows', nargs='+', type=int, default=SIZES, metavar='N')
    add('--systems', nargs='+', choices=SYSTEMS, default=list(SYSTEMS))
    add('--out', type=Path, default=BENCHMARKS.parent / 'docs' / 'results')
    add('--one', choices=SYSTEMS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(one(args.one, args.rows[0])))
        return
    os.environ['OMP_NUM_THREADS'] = '1'
    path = args.out / 'knn.json'
    rows = json.loads(path.read_text()) if path.exists() else []
    todo = [
        (system, size)
        for size in args.rows
        for system in args.systems
        if find_spec(SYSTEMS[system][0])
    ]
    args.out.mkdir(parents=True, exist_ok=True)
    for system, size in tqdm(todo, desc='searches'):
        key = {'system': system, 'rows': size}
        rows = [row for row in rows if not key.items() <= row.items()]
        rows.append(alone(__file__, '--one', system, '--rows', str(size)))
        path.write_text(json.dumps(rows, indent=1) + '\n')
    (args.out / 'knn.md').write_text(page(rows))
    print(page(rows))


if __name__ == '__main__':
    main()
