import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parent.parent


def run(script, *args):
    command = [sys.executable, str(ROOT / script), *map(str, args)]
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, 'OMP_NUM_THREADS': '1'},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_citeseer_nograph(citeseer, tmp_path):
    out = run(
        'examples/citeseer_nograph.py',
        *('--seeds', 2, '--epochs', 3, '--out', tmp_path),
    )
    assert 'GCN on kNN' in out and 'VGCN' in out
    report = json.loads((tmp_path / 'results.json').read_text())
    assert [row['seed'] for row in report['runs']] == [0, 0, 1, 1]
    assert all(0 < row['test_acc'] < 1 for row in report['runs'])
    graph = torch.load(tmp_path / 'learned_graph.pt', weights_only=True)
    assert graph['edge_index'].max() < graph['num_nodes'] == 3327


def test_any_conv(citeseer, tmp_path):
    path = tmp_path / 'any_conv.json'
    out = run(
        'examples/any_conv.py',
        *('--convs', 'GCNConv', 'GATConv', '--epochs', 2, '--out', path),
    )
    assert '| GATConv |' in out
    rows = json.loads(path.read_text())
    routes = {row['conv']: row['route'] for row in rows if row['route']}
    assert routes == {
        'GCNConv': 'AdjacencyMatrix()',
        'GATConv': 'MessageGate()',
    }


def test_what_was_learned(citeseer, tmp_path):
    args = ('--epochs', 2, '--out', tmp_path)
    out = run('examples/what_was_learned.py', *args)
    assert '| nograph, evidence prior |' in out
    counts = json.loads((tmp_path / 'counts.json').read_text())
    assert counts['nograph']['smoothed prior']['links'] == 23360
    assert counts['poisoned']['smoothed prior']['added'] == 5000
    pictures = {path.stem for path in tmp_path.glob('*.png')}
    assert len(pictures) == 13
    assert {'convergence_poisoned', 'community_worst_evidence'} <= pictures


@pytest.mark.slow
def test_poisoning(blogs, tmp_path):
    path = tmp_path / 'poisoning.jsonl'
    graphs = Path(os.environ.get('VGCN_DATA', '.')).parent / 'poisoned'
    if not graphs.exists():
        pytest.skip(f"the authors' graphs aren't in {graphs}")
    options = ('--datasets', 'Polblogs', '--graphs', 1, '--epochs', 2)
    out = run('benchmarks/poisoning.py', *options, '--out', path)
    assert '| Polblogs | add 5,000 |' in out
    rows = [json.loads(line) for line in path.open()]
    assert len(rows) == 1 + 2 * 5 + 4
    # Nothing is left to do the second time:
    before = path.read_text()
    assert run('benchmarks/poisoning.py', *options, '--out', path) == out
    assert path.read_text() == before


def test_pubmed_cluster(citeseer, tmp_path):
    args = ('--dataset', 'CiteSeer', '--num-parts', 8, '--batch-size', 4)
    args += ('--epochs', 2, '--out', tmp_path)
    out = run('examples/pubmed_cluster.py', *args)
    assert 'VGCN block-diagonal' in out and '8 clusters, which cut' in out
    report = json.loads((tmp_path / 'results.json').read_text())
    assert len(report['runs']) == 3
    assert all(0 < row['test_acc'] < 1 for row in report['runs'])
    saved = torch.load(tmp_path / 'VGCN_candidates.pt', weights_only=True)
    # Two batches of four clusters are an epoch, and there are 16 steps:
    assert len(saved['result']['history']) == 8
    again = run('examples/pubmed_cluster.py', *args, '--resume')
    lines = [line for line in out.splitlines() if 'VGCN' in line]
    assert all(line[:-6] in again for line in lines)  # but for the seconds


@pytest.mark.parametrize(
    ('page', 'long', 'short'),
    [
        ('README.md', 'range(200)', 'range(2)'),
        ('docs/plots.md', 'epochs=200', 'epochs=2'),
    ],
)
def test_code_of_the_pages(citeseer, tmp_path, page, long, short):
    # 'citeseer' skips this where the data can't be had.
    text = (ROOT / page).read_text()
    code = text.split('```python\n')[1].split('```')[0]
    assert long in code
    script = tmp_path / 'page.py'
    script.write_text(code.replace(long, short))
    run(script)
