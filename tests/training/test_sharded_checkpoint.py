import pickle

import pytest
import torch

from torch_geometric_vgcn.training.sharded_checkpoint import (
    ShardedCheckpoint,
)
from torch_geometric_vgcn.utils.ranks import Ranks


def checkpoint_of(path, **fingerprint):
    return ShardedCheckpoint(path, {'lr': '0.1', **fingerprint}, Ranks())


STATE = {'network.w': torch.ones(2, 3), 'shard.0.now': torch.arange(4.0)}
ABOUT = {'seed': 3}


def test_a_state_is_loaded_in_parts(tmp_path):
    checkpoint = checkpoint_of(tmp_path)
    assert checkpoint.latest() is None
    checkpoint.save(1, STATE, ABOUT)
    latest = checkpoint_of(tmp_path).latest()
    assert latest['seed'] == 3
    loaded = checkpoint.load(latest, ('shard.0.',))
    assert list(loaded) == ['shard.0.now']
    assert torch.equal(loaded['shard.0.now'], STATE['shard.0.now'])


def test_a_state_that_is_not_whole_is_left_aside(tmp_path):
    checkpoint = checkpoint_of(tmp_path)
    checkpoint.save(1, STATE, ABOUT)
    part = tmp_path / 'epoch-000002'  # of a process that was killed
    part.mkdir()
    (part / '__0_0.distcp').write_bytes(b'half')
    assert checkpoint.latest()['folder'] == 'epoch-000001'
    checkpoint.save(2, STATE, ABOUT)
    latest = checkpoint.latest()
    assert latest['folder'] == 'epoch-000002'
    assert checkpoint.load(latest, ('network.',))
    assert not (tmp_path / 'epoch-000001').exists()


def test_another_run_is_refused(tmp_path):
    checkpoint_of(tmp_path).save(1, STATE, ABOUT)
    with pytest.raises(ValueError, match='of another run: lr is 0.1 there, 1'):
        checkpoint_of(tmp_path, lr='1').latest()


def test_what_is_no_checkpoint_is_refused(tmp_path):
    (tmp_path / 'file').touch()
    with pytest.raises(ValueError, match="'checkpoint' must be a folder"):
        checkpoint_of(tmp_path / 'file')
    with pytest.raises(OSError, match="can't be written"):
        checkpoint_of(tmp_path / 'file' / 'folder')
    (tmp_path / 'latest.json').write_text('{}')
    with pytest.raises(ValueError, match="can't be read, it is damaged"):
        checkpoint_of(tmp_path).latest()


def test_a_description_runs_no_code(tmp_path):
    class Evil:
        def __reduce__(self):
            return print, ('run',)

    checkpoint = checkpoint_of(tmp_path)
    checkpoint.save(1, STATE, ABOUT)
    path = tmp_path / 'epoch-000001' / '.metadata'
    path.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(ValueError, match='must not name builtins'):
        checkpoint.load(checkpoint.latest(), ('network.',))
