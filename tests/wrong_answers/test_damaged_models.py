"""A damaged file of a model gives one kind of error, which names the file;
whatever is loaded is what was saved.
"""

import io
import zipfile

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    VGCN,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.datasets import from_table, polblogs
from torch_geometric_vgcn.estimators import VGCNClassifier, VGCNRegressor
from torch_geometric_vgcn.recipe import (
    Effort,
    FixedMember,
    LearnedMember,
    given_graph,
)
from torch_geometric_vgcn.scale import (
    ShardedPosterior,
    StoredClusters,
    predict_clusters,
    write_graph,
)

ROWS = 30
SMALL = {'epochs': 2, 'patience': 1, 'warmup': 1, 'folds': 2, 'runs': 1}


def features():
    return np.random.RandomState(0).randn(ROWS, 4)


def fitted(kind):
    names = np.array(['red', 'green'], dtype=object)[np.arange(ROWS) % 2]
    y = np.where(np.arange(ROWS) < 20, names, None)
    if kind is VGCNRegressor:
        y = np.where(np.arange(ROWS) < 20, features()[:, 0], np.nan)
    path = np.stack([np.arange(ROWS - 1), np.arange(1, ROWS)])
    estimator = kind(trust=0.5, max_iter=5, hidden=8, random_state=0)
    return estimator.fit(features(), y, graph=path)


# Each format is a function that writes a file and tells what it holds, and
# one that reads a file and tells the same.


def of_estimator(kind):
    def told(model):
        return (
            model.get_params(),
            model.predict(features()).tolist(),
            model.transduction_.tolist(),
            model.graph_.toarray().tolist(),
            {name for name in vars(model) if not name.startswith('_')},
        )

    def write(path):
        model = fitted(kind)
        model.save(path)
        return told(model)

    return write, lambda path: told(kind.load(path))


class Interrupted(Exception):
    r"""Ends a training."""


class Interrupting(GCN):
    def forward(self, x, edge_index):
        raise Interrupted


def nodes():
    index = torch.arange(ROWS)
    return Data(
        x=torch.from_numpy(features()).float(),
        y=index % 2,
        edge_index=torch.stack([index[:-1], index[1:]]),
        train_mask=index % 3 == 0,
        val_mask=index % 3 == 1,
    )


def one_call(*more):
    members = [LearnedMember('given', given_graph), *more]
    effort = Effort(**SMALL, num_samples=2)
    return VGCN(nodes(), members=members, effort=effort, progress=False)


def of_one_call():
    model = one_call()

    def told(model):
        return model.predict().tolist(), model.leaderboard().to_dict()

    def write(path):
        model.fit().save(path)
        return told(model)

    def read(path):
        return told(VGCN.load(path, nodes(), members=model.members))

    return write, read


def of_unfinished_call():
    def read(path):
        stop = FixedMember(
            'stop', given_graph, network=lambda task: Interrupting(4, 4, 2, 2)
        )
        with pytest.raises(Interrupted):
            one_call(stop).fit(checkpoint=path)
        return 'goes on'

    return read, read


def of_checkpoint():
    def read(path):
        torch.manual_seed(0)
        net = GCN(4, 4, 2, 2, dropout=0.5)
        prior = SmoothedPrior(nodes().edge_index, ROWS)
        learner = VariationalGraphLearner(net, prior)
        result = fit(
            learner, nodes(), epochs=2, checkpoint=path, progress=False
        )
        return result.history, learner.edge_probs().tolist()

    return read, read


FORMATS = {
    'VGCNClassifier.save': lambda: of_estimator(VGCNClassifier),
    'VGCNRegressor.save': lambda: of_estimator(VGCNRegressor),
    'VGCN.save': of_one_call,
    'VGCN.fit': of_unfinished_call,
    'fit': of_checkpoint,
}


@pytest.fixture(scope='module', params=FORMATS)
def written(request, tmp_path_factory):
    r"""What a file holds and how it is read, and the place of damaged ones."""
    write, read = FORMATS[request.param]()
    path = tmp_path_factory.mktemp('files') / 'mine.vgcn'
    expected = write(path)
    return path.read_bytes(), read, path, expected


def check(written, content):
    r"""Expects an error that names the file, or what was written."""
    _, read, path, expected = written
    path.write_bytes(content)
    try:
        found = read(path)
    except ValueError as error:
        assert type(error) is ValueError
        assert str(path) in str(error)
        assert "'path'" in str(error) or "'checkpoint'" in str(error)
        return False
    assert found == expected
    return True


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(parts):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, 'w', zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return buffer.getvalue()


def array_file():
    r"""A file of NumPy, and an archive of them."""
    array, arrays = io.BytesIO(), io.BytesIO()
    np.save(array, np.zeros(3))
    np.savez(arrays, about=np.array('{}'))
    return array.getvalue(), arrays.getvalue()


def tensor_file():
    buffer = io.BytesIO()
    torch.save({'format': 2, 'weights': torch.ones(2)}, buffer)
    return buffer.getvalue()


OTHERS = [b'', b'not a model', bytes(1000), *array_file(), tensor_file()]
OTHERS += [packed({}), packed({'about.npy': b'?'})]


def damaged(draw, whole):
    r"""A file of which a part is lost or changed, or another file."""
    content, place = bytearray(whole), st.integers(0, len(whole) - 1)
    way = draw(st.sampled_from(['cut', 'flip', 'blank', 'drop', 'kind']))
    start, size = draw(place), draw(st.integers(1, 64))
    if way == 'kind':
        content = draw(st.sampled_from(OTHERS))
    elif way == 'cut':
        content = content[:start]
    elif way == 'blank':
        content[start : start + size] = bytes(len(content[start:][:size]))
    elif way == 'drop':
        del content[start : start + size]
    else:
        for _ in range(draw(st.integers(1, 3))):
            content[draw(place)] ^= draw(st.integers(1, 255))
    return bytes(content), way in ('kind', 'cut')


@settings(max_examples=200)
@given(data=st.data())
def test_a_damaged_file_is_refused_or_the_same(written, data):
    content, refused = damaged(data.draw, written[0])
    assert not (check(written, content) and refused)


@settings(max_examples=200)
@given(data=st.data())
def test_a_damaged_table_is_refused_or_another_one(tmp_path_factory, data):
    lines = [f'{row},{row % 3}.5,{"xy"[row % 2]}' for row in range(30)]
    whole = '\n'.join(['size,cost,kind', *lines]).encode()
    path = tmp_path_factory.mktemp('tables') / 'mine.csv'
    path.write_bytes(damaged(data.draw, whole)[0])
    try:
        found = from_table(path, 'kind')
    except ValueError as error:
        assert type(error) is ValueError and "'" in str(error)
    else:
        assert found.x.isfinite().all() and found.y.max() >= 0


#: Those that hold an archive of arrays.
archives = pytest.mark.parametrize(
    'written', [name for name in FORMATS if name != 'fit'], indirect=True
)


def test_a_whole_file_is_read(written):
    assert check(written, written[0])


@archives
def test_an_archive_that_was_packed_again_is_read(written):
    assert check(written, packed(members(written[0])))


def test_the_places_of_names_and_sizes_may_be_damaged(written):
    content = written[0]
    places = range(max(0, len(content) - 2500), len(content), 17)
    for place in {*places, *range(0, 99, 3)}:
        damaged = bytearray(content)
        damaged[place] ^= 0xFF
        check(written, bytes(damaged))


@archives
def test_a_member_that_is_missing_is_noticed(written):
    parts = members(written[0])
    assert len(parts) > 3
    for name in parts:
        rest = {key: part for key, part in parts.items() if key != name}
        assert not check(written, packed(rest)), name


@archives
def test_a_member_with_other_values_is_noticed(written):
    parts = members(written[0])
    for name, part in parts.items():
        array = np.load(io.BytesIO(part), allow_pickle=False)
        if array.size == 0 or array.dtype.kind not in 'iuf':
            continue
        other, buffer = array.copy(), io.BytesIO()
        other.reshape(-1)[0] += 1
        np.save(buffer, other)
        changed = packed({**parts, name: buffer.getvalue()})
        assert not check(written, changed), name


@archives
def test_a_member_that_was_added_is_noticed(written):
    parts = members(written[0])
    more = {**parts, 'predict.npy': [*parts.values()][-1]}
    assert not check(written, packed(more))


def test_a_model_of_another_kind_is_refused(tmp_path):
    path = tmp_path / 'mine.vgcn'
    fitted(VGCNRegressor).save(path)
    with pytest.raises(ValueError, match='mine.vgcn.*VGCNRegressor'):
        VGCNClassifier.load(path)


@pytest.mark.parametrize('load', [VGCNClassifier.load, of_one_call()[1]])
def test_a_file_that_is_not_there_is_named(load, tmp_path):
    with pytest.raises(FileNotFoundError, match='none.vgcn'):
        load(tmp_path / 'none.vgcn')
    with pytest.raises(OSError, match=tmp_path.name):
        load(tmp_path)


def graph_on_disk(folder):
    node = np.arange(12)
    graph = write_graph(
        folder, np.eye(12, dtype=np.float32),
        np.stack([node, (node + 1) % 12]), node % 2, node < 6, node >= 6,
        cluster=node // 4, progress=False,
    )  # fmt: skip
    net, posterior = GCN(12, 4, 2, 2), ShardedPosterior()
    return graph, VariationalGraphLearner(net, graph.prior(), posterior)


def test_damaged_files_of_a_graph_on_disk_are_named(tmp_path):
    _, learner = graph_on_disk(tmp_path)
    for name in ('x', 'logit'):
        path = tmp_path / f'{name}.npy'
        whole = path.read_bytes()
        for content in (b'', b'no', whole[:60], whole[:-1], None):
            path.unlink(missing_ok=True)
            if content is not None:
                path.write_bytes(content)
            with pytest.raises(ValueError, match=f'{name}.npy'):
                predict_clusters(learner)
        path.write_bytes(whole)


def test_damaged_files_of_a_checkpoint_are_named(tmp_path):
    graph, learner = graph_on_disk(tmp_path / 'graph')

    def train(epochs):
        fit(
            learner, graph, StoredClusters(graph), epochs=epochs,
            checkpoint=tmp_path / 'run', progress=False,
        )  # fmt: skip

    train(1)
    files = [p for p in (tmp_path / 'run').rglob('*') if p.is_file()]
    assert len(files) == 3
    for path in files:
        whole = path.read_bytes()
        for content in (b'', b'no', whole[: len(whole) // 2], whole[:-9]):
            path.write_bytes(content)
            with pytest.raises(ValueError, match=r"'checkpoint' .*run"):
                train(2)
        path.write_bytes(whole)
    train(2)


@pytest.mark.parametrize('damage', ['cut', 'flipped'])
def test_a_damaged_data_set_is_named(tmp_path, damage):
    path = tmp_path / 'polblogs.npz'
    index = np.array([[0, 1, 2, 2], [1, 2, 2, 3]])
    np.savez_compressed(path, edge_index=index, y=np.array([0, 0, 1, 1]))
    whole = path.read_bytes()
    for place in range(0, len(whole), 3):
        content = bytearray(whole)
        content[place] ^= 0xFF
        path.write_bytes(content if damage == 'flipped' else whole[:place])
        try:
            data = polblogs(tmp_path)[0]
        except ValueError as error:
            assert 'polblogs.npz' in str(error)
        else:
            assert damage == 'flipped' and data.num_edges == 6
