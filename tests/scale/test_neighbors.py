import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

pytest.importorskip('sklearn')

SCRIPT = Path(__file__).parents[2] / 'benchmarks' / 'scale' / 'neighbors.py'


@pytest.fixture(scope='module')
def module():
    import neighbors

    return neighbors


def test_recall_counts_true_neighbours(module):
    x = torch.arange(30.0).view(-1, 1) ** 1.01
    rows = torch.tensor([0, 29])
    true = torch.stack([torch.arange(1, 11), torch.arange(19, 29)])
    assert module.recall(x, rows, true) == 1.0
    half = true.clone()
    half[0] += 10  # none of the first row's
    assert module.recall(x, rows, half) == 0.5


@pytest.mark.parametrize('system', ['CellSearch', 'pynndescent', 'faiss, IVF'])
def test_all_searches_find_the_neighbours(module, system):
    package, search = module.SYSTEMS[system]
    pytest.importorskip(package)
    x = torch.from_numpy(module.manifold(3000)[0]).float()
    neighbor = search(x)
    assert neighbor.shape == (3000, module.NEIGHBORS)
    assert module.recall(x, torch.arange(100), neighbor[:100]) > 0.95


def test_the_script_writes_a_page(tmp_path):
    options = ['--rows', '2000', '--systems', 'CellSearch']
    options += ['--out', str(tmp_path)]
    subprocess.run([sys.executable, str(SCRIPT), *options], check=True)
    (row,) = json.loads((tmp_path / 'knn.json').read_text())
    assert row['rows'] == 2000 and row['recall'] > 0.95
    assert '| 2,000 | CellSearch |' in (tmp_path / 'knn.md').read_text()
