"""Files of tensors, arrays and plain values."""

import json

import numpy as np
import pytest
import scipy.sparse
import torch

from torch_geometric_vgcn.utils.plain_file import read_plain, write_plain


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / 'file'
    graph = scipy.sparse.csr_array(np.eye(3))
    state = {
        'plain': [1, 2.5, 'text', None, True, float('inf')],
        'numpy': {'scalar': np.int64(3), 'array': np.arange(6).reshape(2, 3)},
        'texts': np.array(['a', 'bc'], dtype=object),
        'tensors': [torch.rand(2, 3), torch.arange(3), torch.tensor(True)],
        'half': torch.rand(4).bfloat16(),
        'empty': torch.empty(0, 2),
        'graph': graph,
    }
    write_plain(path, 'test', state)
    found = read_plain(path, 'test')
    assert list(found) == list(state)
    assert found['plain'] == state['plain']
    assert found['numpy']['scalar'] == 3
    assert np.array_equal(found['numpy']['array'], state['numpy']['array'])
    assert found['texts'].dtype == object
    assert found['texts'].tolist() == ['a', 'bc']
    for name in ('half', 'empty'):
        assert found[name].dtype == state[name].dtype
        assert found[name].equal(state[name])
    for one, two in zip(found['tensors'], state['tensors'], strict=True):
        assert one.dtype == two.dtype and one.equal(two)
    assert (found['graph'] != graph).nnz == 0


def test_what_is_not_plain_is_refused(tmp_path):
    path = tmp_path / 'file'
    with pytest.raises(TypeError, match='function'):
        write_plain(path, 'test', {'a': [print, test_what_is_written_is_read]})
    with pytest.raises(TypeError, match='sparse'):
        write_plain(path, 'test', {'a': torch.eye(3).to_sparse()})
    assert not path.exists()


def test_files_of_others_are_named(tmp_path):
    path = tmp_path / 'mine.npz'
    write_plain(path, 'model', {})
    with pytest.raises(ValueError, match="'path'.*other.*mine.npz.*a model"):
        read_plain(path, 'other')
    about = np.array(json.dumps({'format': 4, 'estimator': 'VGCNClassifier'}))
    np.savez(path, about=about, checksum=np.array('0'))
    with pytest.raises(ValueError, match="'checkpoint'.*mine.npz.*format 4"):
        read_plain(path, 'model', 'checkpoint')
    torch.save({'format': 2}, path)
    with pytest.raises(ValueError, match=r'mine\.npz'):
        read_plain(path, 'model')
