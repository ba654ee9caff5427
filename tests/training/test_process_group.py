import os
import subprocess
import sys

import pytest

from torch_geometric_vgcn.training import process_group

SCRIPT = """
import os
from pathlib import Path
import torch
from torch.nn.parallel import DistributedDataParallel
from torch_geometric_vgcn.training import process_group

def threads():
    folder = Path('/proc/self/task')
    names = [(path / 'comm').read_text() for path in folder.iterdir()]
    return [name for name in names if 'gloo' in name or 'tcpstore' in name]

def work():
    model = DistributedDataParallel(torch.nn.Linear(2, 2))
    model(torch.ones(1, 2)).sum().backward()

with process_group() as ranks:
    assert (ranks.rank, ranks.world) == (0, 1)
    work()
    assert threads()
assert not torch.distributed.is_initialized()
assert not threads(), threads()
"""


@pytest.mark.skipif(not os.path.exists('/proc/self/task'), reason='Linux only')
def test_no_thread_outlives_the_block():
    r"""Such threads would abort about one process in ten at its end."""
    env = {
        **os.environ, 'RANK': '0', 'WORLD_SIZE': '1',
        'MASTER_ADDR': '127.0.0.1', 'MASTER_PORT': '0',
    }  # fmt: skip
    process = subprocess.run(
        [sys.executable, '-c', SCRIPT], env=env, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr


def test_without_torchrun_it_is_this_process_alone(monkeypatch):
    monkeypatch.delenv('RANK', raising=False)
    with process_group() as ranks:
        assert (ranks.rank, ranks.world) == (0, 1)
    with pytest.raises(TypeError, match="'backend' must be a str, got int"):
        with process_group(3):
            pass
