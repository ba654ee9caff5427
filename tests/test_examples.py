import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
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
        *('--seeds', 1, '--effort', 'quick', '--out', tmp_path),
    )
    assert 'the one call' in out and 'as they are' in out
    report = json.loads((tmp_path / 'results.json').read_text())
    assert len(report['runs']) == 5
    assert all(0.6 < row['test_acc'] < 0.8 for row in report['runs'])
    assert report['runs'][-1]['same_class_auc'] > 0.7
    graph = torch.load(tmp_path / 'learned_graph_0.pt', weights_only=True)
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
        'GCNConv': 'matrix',
        'GATConv': 'edge weights',
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


def test_given_and_learned(citeseer, tmp_path):
    args = ('--effort', 'quick', '--out', tmp_path)
    out = run('examples/given_and_learned.py', *args)
    right, false = re.findall(r'edges given: ([\d,]+), ([\d,]+) at 1/2', out)
    given, kept = (
        [int(number.replace(',', '')) for number in row]
        for row in zip(right, false, strict=True)
    )
    assert given == [4552, 5000]
    assert kept[0] > 0.7 * given[0] and kept[1] < 0.2 * given[1]
    picture = (tmp_path / 'given_and_learned.svg').read_text()
    assert picture.endswith('</svg>\n')


def test_million_nodes(tmp_path):
    args = ('--nodes', 8000, '--cluster-size', 200, '--epochs', 1)
    out = run('examples/million_nodes.py', *args, '--out', tmp_path)
    report = json.loads(out[out.index('{') :])
    assert report['nodes'] == 8000 and report['processes'] == 1
    prob = np.load(tmp_path / 'probabilities.npy', mmap_mode='r')
    assert prob.shape == (8000, 7)
    assert len(list((tmp_path / 'learned').glob('edge_index-*.npy'))) == 1


def test_pubmed_cluster(citeseer, tmp_path):
    args = ('--dataset', 'CiteSeer', '--num-parts', 8, '--batch-size', 4)
    args += ('--steps', 16, '--out', tmp_path, '--resume', '--graphs')
    out = run('examples/pubmed_cluster.py', *args, 'add 100%')
    lines = out.splitlines()
    head = '| graph | GCN | GAT | VGCN block-diagonal | VGCN candidates |'
    assert head in lines
    # It resumes with the missing runs:
    again = run('examples/pubmed_cluster.py', *args, 'add 100%', 'no graph')
    assert '| no graph |' in again
    assert next(line for line in lines if '| add 100% |' in line) in again
    rows = json.loads((tmp_path / 'results.json').read_text())['runs']
    assert [row['graph'] for row in rows] == ['add 100%'] * 4 + [
        'no graph'
    ] * 4
    assert all(0 < row['test_acc'] < 1 for row in rows)
    assert not list(tmp_path.glob('*.pt'))  # all runs are finished


def test_pubmed_cluster_resumes_from_a_checkpoint(citeseer, tmp_path):
    args = ('--dataset', 'CiteSeer', '--num-parts', 8, '--graphs', 'given')
    args += ('--models', 'VGCN candidates', '--steps', 120, '--batch-size', 4)
    script = str(ROOT / 'examples/pubmed_cluster.py')
    command = [sys.executable, script, *map(str, args)]
    whole = run(script, *args, '--out', tmp_path / 'whole')
    cut = tmp_path / 'cut'
    process = subprocess.Popen(
        [*command, '--out', str(cut)], stderr=subprocess.DEVNULL
    )
    checkpoint = cut / 'given_0_VGCN_candidates.pt'
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.02)
    process.kill()
    process.wait()
    resumed = run(script, *args, '--out', cut, '--resume')
    table = [line for line in whole.splitlines() if line.startswith('|')]
    assert '\n'.join(table) in resumed


def code_of(page):
    r"""All code of a page, in one piece."""
    blocks = (ROOT / page).read_text().split('```python\n')[1:]
    return '\n'.join(block.split('```')[0] for block in blocks)


def test_other_tasks_learn_something(citeseer, tmp_path):
    script = tmp_path / 'page.py'
    script.write_text(code_of('docs/other_tasks.md'))
    out = run(script)
    r2, inside, _, f1, auc, accuracy = (
        float(number) for number in re.findall(r' (\d+\.\d\d|\d+)(?=\D)', out)
    )
    assert r2 > 0.3 and 85 < inside < 100
    assert f1 > 0.9  # all labels everywhere have 0.63
    assert auc > 0.8
    assert accuracy > 0.65  # of ten classes
