import pytest
import torch
from data_sets import DATASETS
from torch_geometric.utils import contains_self_loops, is_undirected

FIXTURE = {'CiteSeer': 'citeseer', 'Cora': 'cora', 'Polblogs': 'blogs'}
TABLES = ('Wine', 'BreastCancer', 'Digits')


@pytest.mark.parametrize('title', FIXTURE)
def test_the_true_graph(title, request):
    request.getfixturevalue(FIXTURE[title])  # skips if not available
    data = DATASETS[title].load()
    assert is_undirected(data.edge_index)
    assert not contains_self_loops(data.edge_index)
    assert data.x.layout == torch.strided
    assert torch.allclose(
        data.x.sum(-1)[data.x.sum(-1) > 0], torch.tensor(1.0)
    )


@pytest.mark.parametrize('title', TABLES)
def test_measurements_have_neither_a_graph_nor_a_public_split(title):
    pytest.importorskip('sklearn')
    data = DATASETS[title].load()
    assert set(data.keys()) == {'x', 'y'}
    # Pixels as they are, other measurements standardised:
    assert (data.x.min() < 0) == (title != 'Digits')


@pytest.mark.parametrize('title', [*FIXTURE, *TABLES])
def test_random_splits(title, request):
    if title in TABLES:
        pytest.importorskip('sklearn')
    else:
        request.getfixturevalue(FIXTURE[title])
    dataset = DATASETS[title]
    assert dataset.title == title
    data = dataset.load()
    first, again, other = (dataset.random_split(data, s) for s in (0, 0, 1))
    for name in ('train_mask', 'val_mask', 'test_mask'):
        assert first[name].any()
        assert torch.equal(first[name], again[name])
        assert not torch.equal(first[name], other[name])


def test_pubmed():
    try:
        data = DATASETS['PubMed'].load()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert data.num_nodes == 19717 and int(data.train_mask.sum()) == 60


def test_the_citeseer_of_prognn():
    dataset = DATASETS['Pro-GNN Citeseer']
    try:
        data = dataset.load()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert data.num_nodes == 2110 and int(data.train_mask.sum()) == 210
    total = data.x.sum(-1)
    assert torch.allclose(total[total > 0], torch.tensor(1.0))
    random = dataset.random_split(data, 0)
    assert int(random.train_mask.sum()) == 211
    assert not torch.equal(random.train_mask, data.train_mask)


@pytest.mark.parametrize('title', ['Texas', 'Chameleon'])
def test_graphs_with_splits_in_their_file(title):
    dataset = DATASETS[title]
    try:
        data = dataset.load()
    except FileNotFoundError as error:
        assert f'no {dataset.path}' in str(error)
        pytest.skip(str(error))
    assert is_undirected(data.edge_index)
    assert not contains_self_loops(data.edge_index)
    assert 'train_mask' not in data
    first, other, again = (dataset.random_split(data, s) for s in (0, 1, 10))
    assert not torch.equal(first.train_mask, other.train_mask)
    masks = [first[f'{part}_mask'] for part in ('train', 'val', 'test')]
    assert torch.stack(masks).sum(dim=0).eq(1).all()
    assert torch.equal(first.train_mask, again.train_mask)


def test_most_data_sets_have_no_published_attack():
    with pytest.raises(ValueError, match="Cora has no .* attack 'meta'"):
        DATASETS['Cora'].attacked('meta', 0.05)
