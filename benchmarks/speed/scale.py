r"""Cost per candidate and peak memory from ten thousand to a million nodes, on
a synthetic block model with twenty candidates per node.
"""

import json
import sys

import torch
from torch import Tensor
from torch_geometric.nn import GCN

from benchmarks.harness.results import table
from benchmarks.speed.measure import alone, megabytes, seconds
from torch_geometric_vgcn import (
    FreePosterior,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import IWELBO

SIZES = (10_000, 100_000, 1_000_000)
KEEP = {
    'MALLOC_MMAP_THRESHOLD_': str(2**33),
    'MALLOC_TRIM_THRESHOLD_': str(2**34),
}


def block_model(
    num_nodes: int, degree: int = 20, block: int = 1000
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Features, candidates and classes. Each block is a community of one
    class; a tenth of the candidates lead to random nodes.
    """
    generator = torch.Generator().manual_seed(0)
    row = torch.arange(num_nodes).repeat_interleave(degree)
    inside = torch.rand(row.numel(), generator=generator) < 0.9
    near = row // block * block + torch.randint(
        block, row.shape, generator=generator
    )
    far = torch.randint(num_nodes, row.shape, generator=generator)
    col = torch.where(inside, near, far)
    kept = row != col
    y = torch.arange(num_nodes) // block % 7
    mean = torch.randn(7, 32, generator=generator)
    x = mean[y] + 2 * torch.randn(num_nodes, 32, generator=generator)
    return x, torch.stack([row, col])[:, kept], y


def one(num_nodes: int, num_samples: int = 3) -> dict:
    x, edge_index, y = block_model(num_nodes)
    train = torch.arange(0, num_nodes, 100)
    parts: dict = {}

    def build() -> None:
        prior = SmoothedPrior(edge_index, num_nodes)
        learner = VariationalGraphLearner(
            GCN(32, 16, 2, 7),
            prior,
            FreePosterior(),
            objective=IWELBO(LogisticKL()),
        )
        parts['learner'] = learner
        parts['optimizer'] = torch.optim.Adam(
            learner.parameters(), lr=0.01, fused=True
        )

    def step() -> None:
        learner, optimizer = parts['learner'], parts['optimizer']
        optimizer.zero_grad()
        out = learner(x, num_samples=num_samples)
        loss = learner.objective(out, y, train).loss
        loss.backward()
        optimizer.step()
        parts['loss'] = float(loss.detach())

    def all_of_it() -> None:
        build()
        step()
        step()

    peak = megabytes(all_of_it)
    first = parts['loss']
    best = seconds({'step': step}, repeat=3, warm_up=0)['step']
    pairs = len(parts['learner'].prior.pairs)
    return {
        'nodes': num_nodes,
        'pairs': pairs,
        'seconds per step': best,
        'ns per pair and graph': 1e9 * best / pairs / num_samples,
        'peak MB': peak,
        'bytes per pair': 2**20 * peak / pairs,
        'loss falls': parts['loss'] < first,
    }


def run(sizes: tuple[int, ...] = SIZES) -> list[dict]:
    r"""Measures each size in a separate process, for its own memory peak: once
    with the default malloc, and once with one that keeps large blocks instead
    of returning them to the system after each use.
    """
    rows = []
    for keep in (False, True):
        for size in sizes:
            env = KEEP if keep else {}
            row = alone('benchmarks.speed.scale', str(size), **env)
            rows.append({'malloc keeps blocks': keep, **row})
    return rows


def rows(part: list[dict]) -> list[tuple[str, ...]]:
    r"""The rows of the page."""
    out = []
    for keep in (False, True):
        mine = [row for row in part if row['malloc keeps blocks'] == keep]
        cost = [row['ns per pair and graph'] for row in mine]
        small, large = mine[0]['nodes'], mine[-1]['nodes']
        malloc = ', malloc keeping blocks' if keep else ''
        out.append(
            (
                f'cost per candidate, {large:,} nodes{malloc}',
                f'{small:,} nodes',
                f'{cost[-1] / cost[0]:.1f} ×',
                f'{cost[-1]:.0f} ns, {cost[0]:.0f} ns per graph',
            )
        )
    return out


def sizes(part: list[dict]) -> str:
    r"""The section of the page with all sizes."""
    lines = [
        [
            f'{row["nodes"]:,}',
            f'{row["pairs"]:,}',
            f'{row["seconds per step"]:.2f}',
            f'{row["ns per pair and graph"]:.0f}',
            f'{row["peak MB"]:.0f}',
            'yes' if row['malloc keeps blocks'] else 'no',
        ]
        for row in part
    ]
    head = ['nodes', 'candidate pairs', 's per step', 'ns per pair and graph',
            'peak MB', 'malloc keeps blocks']  # fmt: skip
    setting = ' '.join(f'{name}={value}' for name, value in KEEP.items())
    return (
        f'## From ten thousand to a million nodes\n\n{table(head, lines)}\n\n'
        'A block model of communities of a thousand nodes, with twenty '
        'candidates per node, a tenth of which lead to random nodes; S = 3. '
        'For large graphs part of the cost is due to memory that malloc '
        'returns to the system after each use; with glibc, the environment '
        f'variables `{setting}` make it keep this memory.'
    )


if __name__ == '__main__':
    torch.set_num_threads(1)
    print(json.dumps(one(int(sys.argv[1]))))
