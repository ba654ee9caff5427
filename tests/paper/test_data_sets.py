import pytest
import torch
from data_sets import DATASETS
from torch_geometric.utils import contains_self_loops, is_undirected

FIXTURE = {'CiteSeer': 'citeseer', 'Cora': 'cora', 'Polblogs': 'blogs'}


@pytest.mark.parametrize('title', DATASETS)
def test_the_true_graph_and_its_random_splits(title, request):
    request.getfixturevalue(FIXTURE[title])  # skips if not available
    dataset = DATASETS[title]
    data = dataset.load()
    assert dataset.title == title
    assert is_undirected(data.edge_index)
    assert not contains_self_loops(data.edge_index)
    assert data.x.layout == torch.strided
    assert torch.allclose(
        data.x.sum(-1)[data.x.sum(-1) > 0], torch.tensor(1.0)
    )
    first, again, other = (dataset.random_split(data, s) for s in (0, 0, 1))
    for name in ('train_mask', 'val_mask', 'test_mask'):
        assert first[name].any()
        assert torch.equal(first[name], again[name])
        assert not torch.equal(first[name], other[name])
