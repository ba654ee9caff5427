"""What holds for each transform, on real data."""

import pytest
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.transforms import Compose, NormalizeFeatures

from torch_geometric_vgcn import attacks as A
from torch_geometric_vgcn import transforms as T

SPLITS = [
    T.HalfValidation(seed=1),
    T.BalancedSplit(seed=1),
    T.StratifiedSplit(0.1, 0.1, seed=1),
]
GRAPHS = [
    T.KNNGraph(3),
    T.PoisonGraph(add=50, remove=20, seed=1, candidates=2),
    T.DegreePerturbation(add=50, remove=20, seed=1),
    T.RandomPerturbation(add=50, remove=20, seed=1),
    A.GradientAttack(
        20, A.TrainedGCN(epochs=5), block_size=2000, epochs=3, seed=1
    ),
    A.SimilarityAttack(50, seed=1),
    A.NeighborhoodAttack(50, seed=1),
]
ALL = [
    *SPLITS,
    *GRAPHS,
    T.ShuffleWords(0.3, seed=1),
    T.UnitRows(),
]
SURROGATES = {'TrainedGCN', 'LearnerSurrogate'}
FORMER = {'DropEdges', 'AddEdges', 'ShuffleFeatures', 'HideLabels'}


def by_name(transform):
    return type(transform).__name__


@pytest.fixture(scope='module')
def small(cora):
    """The first 800 papers of Cora, so that each spectrum is quick."""
    data = cora.subgraph(torch.arange(800))
    data.test_mask = ~(data.train_mask | data.val_mask)
    return data


@pytest.fixture
def data(small, cora, request):
    transform = request.getfixturevalue('transform')
    whole = isinstance(transform, (T.BalancedSplit, T.KNNGraph))
    return cora if whole else small


def assert_same(left, right):
    assert sorted(left.keys()) == sorted(right.keys())
    for key in left.keys():
        assert torch.equal(left[key], right[key]), key


def test_all_transforms_are_here():
    names = {by_name(transform) for transform in ALL}
    assert names == {*T.__all__, *A.__all__} - SURROGATES - FORMER


@pytest.mark.parametrize('transform', ALL, ids=by_name)
def test_it_chains_with_pygs_own(transform, data):
    out = Compose([NormalizeFeatures(), transform])(data)
    assert_same(out, transform(NormalizeFeatures()(data)))


@pytest.mark.parametrize('transform', ALL, ids=by_name)
def test_it_survives_moving_and_saving(transform, data, tmp_path):
    out = transform(data)
    torch.save(out, tmp_path / 'data.pt')
    loaded = torch.load(tmp_path / 'data.pt', weights_only=False)
    assert_same(loaded.to('cpu'), out)
    torch.save(transform, tmp_path / 'transform.pt')
    again = torch.load(tmp_path / 'transform.pt', weights_only=False)
    assert repr(again) == repr(transform)
    assert_same(again(data), out)


@pytest.mark.parametrize('transform', ALL, ids=by_name)
def test_the_original_and_the_global_seed_are_untouched(transform, data):
    before, state = data.clone(), torch.get_rng_state()
    transform(data)
    assert_same(data, before)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize('transform', ALL, ids=by_name)
def test_only_its_own_seed_matters(transform, data):
    expected = transform(data)
    torch.manual_seed(99)
    assert_same(transform(data), expected)
    if hasattr(transform, 'seed'):
        other = type(transform).__new__(type(transform))
        other.__dict__.update(transform.__dict__, seed=2)
        changed = other(data)
        assert any(
            changed[key].shape != expected[key].shape
            or not torch.equal(changed[key], expected[key])
            for key in expected.keys()
        )


@pytest.mark.parametrize('transform', SPLITS, ids=by_name)
def test_masks_are_disjoint_and_not_empty(transform, data):
    out = transform(data)
    masks = torch.stack([out.train_mask, out.val_mask, out.test_mask])
    assert masks.dtype == torch.bool
    assert int(masks.sum(dim=0).max()) == 1
    assert masks.any(dim=1).all()


@pytest.mark.parametrize('transform', GRAPHS, ids=by_name)
def test_graphs_are_undirected_without_loops(transform, data):
    out = transform(data)
    assert out.is_undirected()
    assert not out.has_self_loops()
    assert out.is_coalesced()
    assert out.num_nodes == data.num_nodes


TRANSFORMS = [
    T.KNNGraph(1),
    T.HalfValidation(),
    T.BalancedSplit(1, 1, 1),
    T.StratifiedSplit(2, 1),
    T.PoisonGraph(add=1),
    T.DegreePerturbation(add=1),
    T.RandomPerturbation(add=1),
    A.GradientAttack(1),
    A.SimilarityAttack(1),
    A.NeighborhoodAttack(1),
    T.ShuffleWords(0.5),
]


@pytest.mark.parametrize('transform', TRANSFORMS, ids=str)
def test_what_is_no_graph_is_refused(transform):
    for data in (None, 'abc', HeteroData()):
        with pytest.raises(TypeError, match="'data' must be a .*Data"):
            transform(data)
    with pytest.raises((TypeError, ValueError), match="'data"):
        transform(Data())
    with pytest.raises((TypeError, ValueError), match="'data"):
        transform(Data(num_nodes=3))


@pytest.mark.parametrize('seed', [None, 0.5, 'abc', 10**30])
def test_seeds_are_checked_at_once(seed):
    for make in (
        T.HalfValidation,
        T.BalancedSplit,
        T.RandomPerturbation,
        lambda seed: T.StratifiedSplit(1, 1, seed=seed),
        lambda seed: T.ShuffleWords(0.5, seed),
        lambda seed: A.GradientAttack(1, seed=seed),
        lambda seed: A.SimilarityAttack(1, seed),
    ):
        with pytest.raises((TypeError, ValueError), match="'seed' must be"):
            make(seed=seed)


@pytest.mark.parametrize('name', A.__all__)
def test_attacks_are_still_found_here(name):
    with pytest.warns(DeprecationWarning, match=f'attacks.{name}'):
        assert getattr(T, name) is getattr(A, name)
