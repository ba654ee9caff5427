r"""A process that dies costs no more than what was done since the last
checkpoint.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from processes import learner_of, train, write

from torch_geometric_vgcn.scale import StoredClusters, StoredGraph
from torch_geometric_vgcn.training import fit, process_group

FOLDER = Path(__file__).parent
EPOCHS = 40


def worker(out):
    r"""One process under torchrun, which leaves its number behind."""
    out = Path(out)
    with process_group() as ranks:
        (out / f'pid-{ranks.rank}').write_text(str(os.getpid()))
        state = train(out, 'moments', EPOCHS, out / 'checkpoint', 1)
        torch.save(state, out / f'done-{ranks.rank}.pt')


def endless(out, rank):
    r"""One process of a run without an end."""
    os.environ.update(
        RANK=str(rank), WORLD_SIZE='2', MASTER_ADDR='127.0.0.1',
        MASTER_PORT=(Path(out) / 'port').read_text(),
    )  # fmt: skip
    with process_group():
        endless_fit(Path(out), 10**6)


def endless_fit(out, epochs):
    graph = StoredGraph(out / 'graph')
    return fit(
        learner_of(graph), graph, StoredClusters(graph, 2, together=2),
        epochs=epochs, patience=10**6, checkpoint=out / 'checkpoint',
        checkpoint_every=1, progress=False,
    )  # fmt: skip


def start(call, *launcher):
    code = f'import test_elastic; test_elastic.{call}'
    return subprocess.Popen(
        [sys.executable, *launcher, '-c', code], cwd=FOLDER, text=True,
        stderr=subprocess.PIPE, env={**os.environ, 'OMP_NUM_THREADS': '1'},
    )  # fmt: skip


def epochs_of(checkpoint):
    r"""How many epochs the checkpoint has."""
    path = checkpoint / 'latest.json'
    if not path.exists():
        return 0
    return json.loads(path.read_text())['epochs']


def test_a_process_that_dies_ends_the_others(tmp_path):
    write(tmp_path / 'graph')
    with socket() as free:
        (tmp_path / 'port').write_text(str(free.getsockname()[1]))
    out = str(tmp_path)
    first, second = (start(f'endless({out!r}, {r})') for r in range(2))
    try:
        while epochs_of(tmp_path / 'checkpoint') < 5:
            assert first.poll() is None, first.communicate()[1]
            time.sleep(0.05)
    finally:
        second.kill()
    second.communicate()
    _, error = first.communicate(timeout=300)
    assert first.returncode == 1
    assert 'process 0 lost the connection to another one of 2' in error
    # The last checkpoint is whole, and one process goes on from it:
    epochs = epochs_of(tmp_path / 'checkpoint')
    result = endless_fit(tmp_path, epochs + 1)
    assert len(result.history) == epochs + 1


def socket():
    from socket import socket

    free = socket()
    free.bind(('127.0.0.1', 0))
    return free


@pytest.mark.slow
def test_a_killed_worker_of_four_changes_nothing(tmp_path):
    write(tmp_path / 'graph')
    chance = random.Random(0)
    script = tmp_path / 'worker.py'
    script.write_text(
        f'import sys; sys.path.insert(0, {str(FOLDER)!r})\n'
        f'import test_elastic; test_elastic.worker({str(tmp_path)!r})\n'
    )
    torchrun = ['-m', 'torch.distributed.run', '--standalone']
    process = subprocess.Popen(
        [sys.executable, *torchrun, '--nproc_per_node=4', '--max-restarts=9',
         str(script)],
        stderr=subprocess.PIPE, text=True,
        env={**os.environ, 'OMP_NUM_THREADS': '1'},
    )  # fmt: skip
    killed = []
    try:
        for epoch in sorted(chance.sample(range(EPOCHS - 5), 5)):
            while epochs_of(tmp_path / 'checkpoint') < epoch:
                assert process.poll() is None, process.communicate()[1]
                time.sleep(0.01)
            time.sleep(chance.random() / 2)
            path = tmp_path / f'pid-{chance.randrange(4)}'
            while not path.exists():
                time.sleep(0.05)
            pid = int(path.read_text())
            for other in tmp_path.glob('pid-*'):
                other.unlink()
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        _, error = process.communicate(timeout=1200)
    finally:
        process.kill()
    assert process.returncode == 0, error
    assert len(set(killed)) == 5
    want = train(tmp_path, 'moments', EPOCHS)
    for rank in range(4):
        got = torch.load(tmp_path / f'done-{rank}.pt', weights_only=True)
        for mine, other in zip(got['history'], want['history'], strict=True):
            assert mine == pytest.approx(other, rel=1e-3, abs=1e-4)
        assert torch.allclose(got['prob'], want['prob'], atol=1e-3)
