"""What a page says to run as files, also by torchrun, runs as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    SmoothedPrior,
    VariationalGraphLearner,
    fit_batches,
)
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.scale import ShardedPosterior, write_graph

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(r'^```(python|console)\n(.*?)^```$', re.DOTALL | re.M)
# The first line of a block that is part of a file:
NAME = re.compile(r'# (\w+\.py)\n')
TORCHRUN = (sys.executable, '-m', 'torch.distributed.run')


def read(page):
    """The files of a page and the commands that run them."""
    files, commands = {}, []
    for kind, text in BLOCK.findall(page.read_text(encoding='utf-8')):
        name = NAME.match(text)
        if kind == 'python' and name:
            files[name[1]] = files.get(name[1], '') + text
        if kind == 'console':
            commands += text.splitlines()
    own = [line for line in commands if line.split()[-1] in files]
    return files, own


def pages():
    for page in sorted(ROOT.glob('docs/**/*.md')):
        if '_build' not in page.parts and read(page)[1]:
            yield page.relative_to(ROOT).as_posix()


def run(line, folder):
    program, *arguments = line.split()
    launch = {'torchrun': TORCHRUN, 'python': (sys.executable,)}[program]
    return subprocess.run(
        [*launch, *arguments], cwd=folder, capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': str(ROOT), 'OMP_NUM_THREADS': '1'},
        timeout=300,
    )  # fmt: skip


def test_each_command_of_torchrun_is_found():
    found = [
        page.relative_to(ROOT).as_posix()
        for page in ROOT.glob('docs/**/*.md')
        if '_build' not in page.parts
        and re.search(r'^torchrun', page.read_text(encoding='utf-8'), re.M)
    ]
    assert found and sorted(found) == list(pages())


@pytest.mark.parametrize('page', list(pages()))
def test_files_of_a_page_run_as_it_says(page, tmp_path):
    files, commands = read(ROOT / page)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for line in commands:
        done = run(line, tmp_path)
        assert done.returncode == 0, f'{line}\n{done.stderr}'


def test_processes_that_know_nothing_of_each_other_are_refused(
    tmp_path, monkeypatch
):
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask
    net = GCN(34, 8, 2, 4)
    learner = VariationalGraphLearner(net, SmoothedPrior(data.edge_index, 34))
    clusters = ClusterData(data, 4, log=False)
    loader = ClusterLoader(clusters, batch_size=2, shuffle=True)
    graph = write_graph(
        tmp_path, data.x, data.edge_index, data.y, data.train_mask,
        data.val_mask, cluster=clusters.cluster, progress=False,
    )  # fmt: skip
    for name, value in {'RANK': '1', 'WORLD_SIZE': '2'}.items():
        monkeypatch.setenv(name, value)  # as torchrun does
    with pytest.raises(RuntimeError, match='process_group'):
        fit_batches(learner, data, loader, epochs=1, progress=False)
    with pytest.raises(RuntimeError, match='process_group'):
        VariationalGraphLearner(net, graph.prior(), ShardedPosterior())
    monkeypatch.setenv('WORLD_SIZE', '1')
    fit_batches(learner, data, loader, epochs=1, progress=False)
