"""Files of models: nothing is lost, and nothing else is taken for one."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.nn import GCN

from torch_geometric_vgcn import VGCN
from torch_geometric_vgcn.recipe import (
    Effort,
    FixedMember,
    LearnedMember,
    given_graph,
    no_graph,
)


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
    assert model.temperature_ == fitted.temperature_
    with pytest.raises(ValueError, match="'members'"):
        VGCN.load(path, blocks)
    assert [p.name for p in path.parent.iterdir()] == ['model.pt']
    with np.load(path, allow_pickle=False) as parts:  # no pickled object
        assert all(parts[name].dtype != object for name in parts.files)
    for name, runs in model.learners_.items():
        for one, other in zip(runs, fitted.learners_[name], strict=True):
            want, have = other.named_parameters(), dict(one.named_parameters())
            assert all(have[key].equal(value) for key, value in want)


@pytest.fixture(scope='module')
def small(tmp_path_factory):
    """A model of a few kilobytes, with all that a file may hold."""
    data = Data(x=torch.randn(12, 2), y=torch.arange(12) % 2)
    data.edge_index = torch.stack([torch.arange(11), torch.arange(1, 12)])
    options = {
        'members': [LearnedMember('given', given_graph)],
        'node_names': list('abcdefghijkl'),
        'effort': Effort(2, 2, warmup=1, folds=2, num_samples=2),
        'progress': False,
    }
    model = VGCN(data, **options).fit()
    path = tmp_path_factory.mktemp('small') / 'model.pt'
    model.save(path)
    return model, data, path


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_a_damaged_byte_is_noticed_or_does_not_matter(small, place, flip):
    model, data, path = small
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= flip
    other = path.with_name('other.pt')
    other.write_bytes(content)
    try:
        again = VGCN.load(other, data, members=model.members)
    except ValueError as error:
        assert type(error) is ValueError
        assert str(other) in str(error)
    else:
        assert again.predict().equal(model.predict())
        assert again.edges().equals(model.edges())


def test_other_names_and_networks_are_refused(small):
    model, data, path = small
    options = {'members': model.members}
    with pytest.raises(ValueError, match="'node_names'.*model.pt"):
        VGCN.load(path, data, node_names=range(12), **options)
    named = data.clone()
    named.node_names = list(range(12))
    with pytest.raises(ValueError, match="'node_names'.*model.pt"):
        VGCN.load(path, named, **options)

    def narrow(task):
        return GCN(task.num_features, width, 2, task.num_classes)

    width = 4
    options['members'] = [LearnedMember('given', given_graph, network=narrow)]
    model = VGCN(data, **options, effort=model.effort, progress=False).fit()
    other = path.with_name('narrow.pt')
    model.save(other)
    width = 5  # of a function of the same name
    with pytest.raises(ValueError, match="'members'.*narrow.pt.*'given'"):
        VGCN.load(other, data, **options)


class Interrupted(Exception):
    pass


def test_an_interrupted_fit_goes_on(fitted, blocks, model_of, tmp_path):
    """To the same result, without training again what was finished."""
    path, calls = tmp_path / 'part.pt', []

    class Counted(FixedMember):
        def learner(self, task):
            calls.append(self.name)
            if len(calls) == interrupted_at:
                raise Interrupted
            return super().learner(task)

    members = [Counted('first', no_graph), *fitted.members[1:]]
    members.append(Counted('last', given_graph))
    interrupted_at = 0
    want = model_of(blocks, members=members).fit()
    calls.clear()
    interrupted_at = 2  # as the last member begins
    with pytest.raises(Interrupted):
        model_of(blocks, members=members).fit(checkpoint=path)
    interrupted_at = 0
    model = model_of(blocks, members=members).fit(checkpoint=path)
    assert model.predict().equal(want.predict())
    assert model.weights_ == want.weights_
    assert model.edges().equals(want.edges())
    calls.clear()
    seconds = model.leaderboard().seconds
    done = model_of(blocks, members=members).fit(checkpoint=path)
    assert done.leaderboard().seconds.equals(seconds)  # none was trained
    assert done.predict().equal(want.predict())


def test_checkpoints_of_others_are_refused(blocks, model_of, tmp_path):
    path = tmp_path / 'part.pt'
    model = model_of(blocks).fit(checkpoint=path)
    with pytest.raises(ValueError, match="'seed'.*part.pt.*0.*1"):
        model_of(blocks, seed=1).fit(checkpoint=path)
    blocks.x = blocks.x + torch.rand(60, 5)
    with pytest.raises(ValueError, match="'data.x'.*part.pt"):
        model_of(blocks).fit(checkpoint=path)
    with pytest.raises(ValueError, match="'data.x'.*part.pt"):
        model_of(blocks).fit(checkpoint=path)
    path.write_bytes(b'something else')
    with pytest.raises(ValueError, match="'checkpoint'.*part.pt"):
        model.fit(checkpoint=path)
    with pytest.raises(OSError, match='none'):
        model.fit(checkpoint=tmp_path / 'none' / 'part.pt')


def test_a_checkpoint_becomes_the_file_of_the_model(
    fitted, blocks, model_of, tmp_path
):
    path = tmp_path / 'model.vgcn'

    class Unfinished(FixedMember):
        def learner(self, task):
            raise Interrupted

    some = [fitted.members[0], Unfinished('near', no_graph)]
    with pytest.raises(Interrupted):
        model_of(blocks, members=some).fit(checkpoint=path)
    some[1] = FixedMember('near', no_graph)
    with pytest.raises(ValueError, match="'path'.*model.vgcn.*checkpoint"):
        VGCN.load(path, blocks, members=some)
    path.unlink()
    model_of(blocks).fit(checkpoint=path)
    again = VGCN.load(path, blocks, members=fitted.members)
    assert again.predict().equal(fitted.predict())
    more = model_of(blocks).fit(checkpoint=path)  # nothing is left to do
    assert more.leaderboard().equals(again.leaderboard())


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
