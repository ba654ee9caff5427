"""Files of models: nothing is lost, and nothing else is taken for one."""

import pytest
import torch

from torch_geometric_vgcn import VGCN


@pytest.fixture(scope='module')
def path(fitted, tmp_path_factory):
    path = tmp_path_factory.mktemp('saved') / 'model.pt'
    fitted.save(path)
    return path


def test_a_loaded_model_is_the_same(fitted, blocks, path):
    model = VGCN.load(path, blocks, members=fitted.members)
    assert model.predict().equal(fitted.predict())
    assert model.edges().equals(fitted.edges())
    assert model.leaderboard().equals(fitted.leaderboard())
    assert repr(model) == repr(fitted)
    for name, runs in model.learners_.items():
        for one, other in zip(runs, fitted.learners_[name], strict=True):
            want, have = other.named_parameters(), dict(one.named_parameters())
            assert all(have[key].equal(value) for key, value in want)


def test_nothing_else_is_written(path):
    assert [p.name for p in path.parent.iterdir()] == ['model.pt']
    torch.load(path, weights_only=True)  # no pickled object


def test_a_file_of_a_similar_name_stays(fitted, tmp_path):
    other = tmp_path / 'model.pt.part'
    other.write_text('mine')
    fitted.save(tmp_path / 'model.pt')
    assert other.read_text() == 'mine'


def test_other_members_are_refused(blocks, path):
    with pytest.raises(ValueError, match="'members'"):
        VGCN.load(path, blocks)


@pytest.mark.parametrize('name', ['x', 'y', 'edge_index'])
def test_other_data_are_refused(fitted, blocks, path, name):
    change = {
        'x': blocks.x + torch.rand(60, 5),
        'y': (blocks.y + 1) % 3,
        'edge_index': blocks.edge_index[:, (blocks.edge_index > 0).all(dim=0)],
    }
    blocks[name] = change[name]
    with pytest.raises(ValueError, match=f"'data.{name}'"):
        VGCN.load(path, blocks, members=fitted.members)


@pytest.mark.parametrize('cut', [0, 10, 2000, -3])
def test_damaged_files_are_named(blocks, path, tmp_path, cut):
    part = tmp_path / 'part.pt'
    part.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ValueError, match=r'part\.pt'):
        VGCN.load(part, blocks)


def test_foreign_files_are_named(blocks, tmp_path):
    other = tmp_path / 'other.pt'
    torch.save({'format': 1, 'weights': torch.ones(2)}, other)
    with pytest.raises(ValueError, match=r'other\.pt'):
        VGCN.load(other, blocks)
    with pytest.raises(FileNotFoundError):
        VGCN.load(tmp_path / 'none.pt', blocks)
