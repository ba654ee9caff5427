"""A damaged file of a model gives one kind of error, which names the file;
whatever is loaded is what was saved.
"""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.nn import GCN

from torch_geometric_vgcn import VariationalGraphLearner, fit
from torch_geometric_vgcn.datasets import polblogs
from torch_geometric_vgcn.estimators import VGCNClassifier, VGCNRegressor
from torch_geometric_vgcn.scale import (
    ShardedPosterior,
    StoredClusters,
    predict_clusters,
    write_graph,
)

ROWS = 30


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


@pytest.fixture(
    scope='module', params=[VGCNClassifier, VGCNRegressor], ids=['c', 'r']
)
def saved(request, tmp_path_factory):
    r"""A model, its file, and the place of damaged ones."""
    folder = tmp_path_factory.mktemp('models')
    model = fitted(request.param)
    model.save(folder / 'whole.vgcn')
    return model, (folder / 'whole.vgcn').read_bytes(), folder / 'mine.vgcn'


def check(saved, content):
    r"""Expects an error that names the file, or the model as it was."""
    model, _, path = saved
    path.write_bytes(content)
    try:
        found = type(model).load(path)
    except ValueError as error:
        assert type(error) is ValueError
        assert str(path) in str(error) and "'path'" in str(error)
        return False
    x = features()
    assert found.get_params() == model.get_params()
    assert (found.predict(x) == model.predict(x)).all()
    assert (found.transduction_ == model.transduction_).all()
    assert (found.graph_ != model.graph_).nnz == 0
    assert attributes(found) == attributes(model)
    return True


def attributes(model):
    return {name for name in vars(model) if not name.startswith('_')}


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(parts):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, 'w', zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return buffer.getvalue()


def test_a_whole_file_is_loaded(saved):
    assert check(saved, saved[1])
    assert check(saved, packed(members(saved[1])))


def test_a_file_that_is_cut_off_is_refused(saved):
    content = saved[1]
    for size in {*range(0, 50), *range(0, len(content), 131)}:
        assert not check(saved, content[:size])


@given(st.data())
@settings(max_examples=100)
def test_a_flipped_bit_changes_no_answer(saved, data):
    content = bytearray(saved[1])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= 1 << data.draw(st.integers(0, 7))
    check(saved, bytes(content))


def test_a_flipped_byte_changes_no_answer(saved):
    content = saved[1]
    # Where the names and sizes of members are, and here and there:
    places = {*range(len(content) - 2500, len(content), 17), *range(0, 99, 3)}
    for place in places | {*range(0, len(content), 131)}:
        damaged = bytearray(content)
        damaged[place] ^= 0xFF
        check(saved, bytes(damaged))


def test_a_member_that_is_missing_is_noticed(saved):
    parts = members(saved[1])
    assert len(parts) > 10
    for name in parts:
        rest = {key: part for key, part in parts.items() if key != name}
        assert not check(saved, packed(rest)), name


def test_a_member_with_other_values_is_noticed(saved):
    parts = members(saved[1])
    for name, part in parts.items():
        array = np.load(io.BytesIO(part), allow_pickle=False)
        if array.size == 0 or array.dtype.kind not in 'iuf':
            continue
        other, buffer = array.copy(), io.BytesIO()
        other.reshape(-1)[0] += 1
        np.save(buffer, other)
        changed = packed({**parts, name: buffer.getvalue()})
        assert not check(saved, changed), name


def test_a_member_that_was_added_is_noticed(saved):
    parts = members(saved[1])
    assert not check(saved, packed({**parts, 'predict.npy': parts.copy()
        .popitem()[1]}))  # fmt: skip


def test_other_files_are_refused(saved):
    array, arrays = io.BytesIO(), io.BytesIO()
    np.save(array, np.zeros(3))
    np.savez(arrays, about=np.array('{}'))
    for content in (
        b'', b'not a model', bytes(1000), array.getvalue(),
        arrays.getvalue(), packed({}), packed({'about.npy': b'?'}),
    ):  # fmt: skip
        assert not check(saved, content)


def test_a_model_of_another_kind_is_refused(tmp_path):
    path = tmp_path / 'mine.vgcn'
    fitted(VGCNRegressor).save(path)
    with pytest.raises(ValueError, match='mine.vgcn.*VGCNRegressor'):
        VGCNClassifier.load(path)


def test_a_file_that_is_not_there_is_named(saved):
    model, _, path = saved
    with pytest.raises(FileNotFoundError, match='none.vgcn'):
        type(model).load(path.with_name('none.vgcn'))
    with pytest.raises(OSError, match=path.parent.name):
        type(model).load(path.parent)


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
