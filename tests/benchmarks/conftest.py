import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

pytest.importorskip('sklearn')
ROOT = Path(__file__).parents[2]


@pytest.fixture
def communities() -> Data:
    r"""Two communities of 30 nodes whose features hardly differ, with the
    labels of ten nodes for training and ten for validation.
    """
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(60) % 2
    same = y[:, None] == y
    prob = torch.where(same, 0.2, 0.01)
    edge = torch.rand(60, 60, generator=generator) < prob
    edge_index = edge.triu(1).nonzero().t()
    x = torch.rand(60, 20, generator=generator)
    x[:, :2] += 0.3 * torch.nn.functional.one_hot(y)
    train, val = torch.arange(60) < 10, torch.arange(60) // 10 == 1
    return Data(
        x=x / x.sum(dim=1, keepdim=True),
        edge_index=torch.cat([edge_index, edge_index.flip(0)], dim=1),
        y=y.where(train | val, torch.tensor(-1)),
        truth=y.clone(),
        train_mask=train,
        val_mask=val,
    )


@pytest.fixture
def benchmark(tmp_path):
    r"""Runs a benchmark with its files in a folder of the test."""

    def run(name, *args):
        args = (*args, '--workers', 1, '--trials', tmp_path, '--out', tmp_path)
        return subprocess.run(
            [sys.executable, str(ROOT / 'benchmarks' / name), *map(str, args)],
            capture_output=True,
            text=True,
        )

    return run
