r"""Time and memory of the kNN graph, compared with scikit-learn.

    python benchmarks/speed/knn.py              # one thread, about 2 minutes
    python benchmarks/speed/knn.py --threads 2

From dense features, for which scikit-learn's sparse search needs a conversion
first, and from sparse ones. Times are the best of several rounds: processor
time with one thread, wall-clock time with several.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from measure import alone, megabytes, seconds
from scipy.sparse import csr_matrix
from sklearn.neighbors import kneighbors_graph
from threadpoolctl import threadpool_limits
from torch_geometric.data import Data

from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.nearest import Cosine, ExactSearch
from torch_geometric_vgcn.transforms import KNNGraph

ROUNDS = {'CiteSeer': 7, 'PubMed': 2}


def run(root: str | None = None, k: int = 20, threads: int = 1) -> list[dict]:
    r"""One row per data set."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with threadpool_limits(threads):
            return [
                figures(name, planetoid(name, root)[0], k, threads)
                for name in ROUNDS
            ]
    finally:
        torch.set_num_threads(before)


def figures(name: str, data: Data, k: int, threads: int) -> dict:
    dense = data.x.numpy()
    sparse = csr_matrix(dense)
    compressed = Data(x=data.x.to_sparse_csr())
    calls: dict[str, Callable] = {
        'ours': lambda: KNNGraph(k)(data),
        'ours_sparse': lambda: KNNGraph(k)(compressed),
        'sklearn_dense': lambda: kneighbors_graph(dense, k, metric='cosine'),
        'sklearn_sparse': lambda: kneighbors_graph(sparse, k, metric='cosine'),
        'conversion': lambda: csr_matrix(dense),
    }
    clock = time.process_time if threads == 1 else time.perf_counter
    best = seconds(calls, ROUNDS[name], warm_up=0, clock=clock)
    # From dense features; for sparse ones both are given sparse features:
    converted = best['sklearn_sparse'] + best['conversion']
    from_dense = min(best['sklearn_dense'], converted)
    return {
        'dataset': name,
        'nodes': dense.shape[0],
        'features': dense.shape[1],
        'k': k,
        'threads': threads,
        **best,
        'speedup': from_dense / best['ours'],
        'speedup_sparse': best['sklearn_sparse'] / best['ours_sparse'],
        'largest_difference': difference(data.x, k),
        'peak_memory_mb': peak_memory(data.x, k, threads),
        'features_mb': dense.nbytes / 2**20,
        'all_pairs_mb': 4 * dense.shape[0] ** 2 / 2**20,
    }


def difference(x: torch.Tensor, k: int) -> float:
    r"""The largest difference between the distances of our neighbours and of
    scikit-learn's, rank by rank.
    """
    theirs = kneighbors_graph(x.numpy(), k, metric='cosine').indices
    unit = torch.nn.functional.normalize(x.double())
    largest = 0.0
    for rows, ours, other in zip(
        torch.arange(x.size(0)).split(256),
        ExactSearch()(x, k, Cosine()).split(256),
        torch.from_numpy(theirs).view(-1, k).split(256),
        strict=True,
    ):
        near = [
            torch.einsum('nf,nkf->nk', unit[rows], unit[index]).sort().values
            for index in (ours, other)
        ]
        largest = max(largest, float((near[0] - near[1]).abs().max()))
    return largest


def peak_memory(x: torch.Tensor, k: int, threads: int) -> float:
    r"""The peak memory of the transform in MB, in addition to that in use
    before, measured in a separate process (Linux).
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'x.npy'
        np.save(path, x.numpy())
        options = ('--k', str(k), '--threads', str(threads))
        return alone(__file__, '--memory-of', str(path), *options)


def memory_of(path: Path, k: int) -> float:
    x = torch.from_numpy(np.load(path))
    # Loads everything that the first call loads:
    KNNGraph(2)(Data(x=torch.eye(20)))
    KNNGraph(2)(Data(x=torch.randn(20, 3)))
    return megabytes(lambda: KNNGraph(k)(Data(x=x)))


def table_rows(rows: list[dict]) -> list[tuple[str, ...]]:
    r"""The rows of the page of all speed figures."""
    out = []
    for row in rows:
        name = f'kNN graph, {row["dataset"]}, cosine'
        converted = row['sklearn_sparse'] + row['conversion']
        out.append(
            (
                f'{name}, dense x',
                'scikit-learn `kneighbors_graph`, dense or converted to '
                'sparse',
                f'{row["speedup"]:.1f} × faster',
                f'{row["ours"]:.2f} s; {row["sklearn_dense"]:.2f} s, '
                f'{converted:.2f} s; distances differ by '
                f'{row["largest_difference"]:.0e} at most; peak '
                f'{row["peak_memory_mb"]:.0f} MB (all pairs would be '
                f'{row["all_pairs_mb"]:.0f} MB)',
            )
        )
        out.append(
            (
                f'{name}, sparse x',
                'scikit-learn, sparse',
                f'{row["speedup_sparse"]:.1f} × faster',
                f'{row["ours_sparse"]:.2f} s, {row["sklearn_sparse"]:.2f} s',
            )
        )
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('--root', default=os.environ.get('VGCN_DATA'), help='raw data')
    add('--k', type=int, default=20)
    add('--threads', type=int, default=1)
    add('--out', type=Path, default=Path('results/speed_knn.json'))
    add('--memory-of', type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.memory_of is not None:
        torch.set_num_threads(args.threads)
        print(memory_of(args.memory_of, args.k))
        return
    rows = run(args.root, args.k, args.threads)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(rows, indent=2) + '\n')
    for cells in table_rows(rows):
        print(' | '.join(cells))


if __name__ == '__main__':
    main()
