import codecs
import pickle

import pytest
from sklearn.utils import Bunch

from torch_geometric_vgcn.datasets import newsgroups
from torch_geometric_vgcn.datasets.newsgroups import GROUPS


@pytest.fixture
def cache(tmp_path):
    """Documents in the file that scikit-learn keeps its download in: of each
    group forty, and some of a group that isn't asked for.
    """
    names = sorted([*GROUPS, 'comp.graphics'])
    target = [label for label in range(len(names)) for _ in range(20)]
    text = [f'{names[label].split(".")[-1]} common words' for label in target]
    filenames = [str(number) for number in range(len(text))]
    part = Bunch(
        data=text, target=target, target_names=names, filenames=filenames
    )
    content = pickle.dumps({'train': part, 'test': Bunch(**part)})
    packed = codecs.encode(content, 'zlib_codec')
    (tmp_path / '20news-bydate_py3.pkz').write_bytes(packed)
    return tmp_path


def test_ten_groups_become_nodes_with_word_weights(cache):
    dataset = newsgroups(cache=cache)
    data = dataset[0]
    assert data.num_nodes == 10 * 40
    assert dataset.num_classes == 10
    masks = data.train_mask, data.val_mask, data.test_mask
    assert [int(m.sum()) for m in masks] == [100, 200, 100]
    assert (data.y[data.train_mask].bincount() == 10).all()
    # Each group's word, and the two common ones:
    assert data.num_features == 12
    assert data.x.norm(dim=1).allclose(data.x.new_ones(400))


def test_offline_it_says_what_to_do(tmp_path, monkeypatch):
    for name in ('http_proxy', 'https_proxy'):  # nobody listens there
        monkeypatch.setenv(name, 'http://127.0.0.1:9')
    with (
        pytest.warns(UserWarning, match='Retry'),
        pytest.raises(FileNotFoundError) as caught,
    ):
        newsgroups(cache=tmp_path)
    message = str(caught.value)
    assert 'could not be downloaded' in message
    assert '20news-bydate_py3.pkz' in message
