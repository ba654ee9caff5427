"""All kinds of pairs, beside a list of them."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    Bernoulli,
    FreePosterior,
    LowRankPosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.pairs import AllPairs, Candidates, ClusterPairs
from torch_geometric_vgcn.prior import ConstantPrior

kinds = pytest.mark.parametrize('kind', ['all', 'candidates', 'clusters'])
sizes, seeds = st.integers(2, 12), st.integers(0, 10_000)


def some_pairs(kind, n, seed):
    """Pairs of some kind, and the list of them."""
    generator = torch.Generator().manual_seed(seed)
    index = torch.triu_indices(n, n, 1)
    if kind == 'all':
        return AllPairs(n), index
    if kind == 'clusters':
        cluster = torch.randint(4, (n,), generator=generator)
        inside = cluster[index[0]] == cluster[index[1]]
        return ClusterPairs(cluster), index[:, inside]
    there = torch.rand(index.size(1), generator=generator) < 0.5
    there[0] = True
    index = index[:, there]
    # In any order, all in one direction and some in both:
    order = torch.randperm(index.size(1), generator=generator)
    edge_index = torch.cat([index[:, order], index.flip(0)[:, ::2]], dim=1)
    return Candidates(edge_index, n), index


@kinds
@given(n=sizes, seed=seeds)
def test_each_pair_comes_once_in_order(kind, n, seed):
    pairs, index = some_pairs(kind, n, seed)
    assert torch.equal(pairs.index, index)
    assert torch.equal(pairs.key, index[0] * n + index[1])
    assert len(pairs) == index.size(1)
    assert pairs.num_possible == n * (n - 1) // 2
    assert pairs.has_background == (kind == 'candidates')


@kinds
@given(n=sizes, seed=seeds, random=st.randoms(use_true_random=False))
def test_a_subset_names_the_same_pairs(kind, n, seed, random):
    pairs, index = some_pairs(kind, n, seed)
    node_id = torch.tensor(random.sample(range(n), random.randint(2, n)))
    part = pairs.subset(node_id)
    assert torch.equal(part.node_id, node_id)
    named = node_id[part.index].sort(dim=0).values
    assert torch.equal(named, index[:, part.position])
    assert len(part) == int(torch.isin(index, node_id).all(0).sum())
    assert (part.index[0] < part.index[1]).all()
    assert (part.key.diff() > 0).all()
    again = part.subset(torch.tensor([1, 0]))
    assert torch.equal(again.node_id, node_id[[1, 0]])
    assert again.whole is pairs and pairs.whole is pairs


@kinds
@given(n=sizes, seed=seeds)
def test_products_are_those_of_the_matrix(kind, n, seed):
    pairs, (row, col) = some_pairs(kind, n, seed)
    weight = torch.rand(2, len(pairs))
    matrix = torch.zeros(2, n, n)
    matrix[:, row, col] = matrix[:, col, row] = weight
    left, right = torch.randn(2, 2, n, 3)
    product = pairs.pattern.product(pairs.pattern.entries(weight), left)
    assert torch.allclose(product, matrix @ left, atol=1e-5)
    outer = left @ right.mT
    dot = pairs.pattern.dot(left, right)
    assert torch.allclose(dot, (outer + outer.mT)[:, row, col], atol=1e-5)
    single = pairs.dot(left[0], right[0])
    assert torch.allclose(single, outer[0, row, col], atol=1e-5)


@kinds
@given(n=sizes, seed=seeds)
def test_an_edge_is_contained_in_either_direction(kind, n, seed):
    pairs, index = some_pairs(kind, n, seed)
    there = torch.rand(index.size(1)) < 0.5
    edges = index[:, there]
    edges[:, ::2] = edges[:, ::2].flip(0)
    assert torch.equal(pairs.contains(edges), there)


def test_to_dense_is_symmetric_with_a_zero_diagonal():
    pairs = AllPairs(5)
    value = torch.arange(1.0, 11.0)
    adj = pairs.to_dense(value)
    row, col = pairs.index
    assert torch.equal(adj[row, col], value)
    assert torch.equal(adj, adj.t())
    assert torch.equal(adj.diagonal(), torch.zeros(5))
    value = torch.rand(6, dtype=torch.float64, requires_grad=True)
    assert gradcheck(AllPairs(4).to_dense, value)


def test_dot_of_features_too_wide_to_gather_at_once():
    width = 2**23  # two of the three pairs fit in a chunk
    left = torch.tensor([[1.0], [2.0], [4.0]]).expand(3, width)
    pairs = Candidates(AllPairs(3).index, 3)
    expected = width * torch.tensor([2.0, 4.0, 8.0])
    torch.testing.assert_close(pairs.dot(left, left), expected)


def test_a_subset_may_have_no_pair(graph):
    part = Candidates(graph, 6).subset(torch.tensor([0, 4]))
    assert part.index.shape == (2, 0)
    assert part.dot(torch.ones(2, 3), torch.ones(2, 3)).shape == (0,)


@kinds
@pytest.mark.parametrize(
    'node_id, message',
    [
        ([3], 'at least two nodes'),
        ([[0, 1], [2, 3]], 'at least two nodes'),
        ([0, 6], r'in \[0, 5\], got ids from 0 to 6'),
        ([-1, 2], 'got ids from -1 to 2'),
        ([2, 4, 2], 'each node once'),
    ],
)
def test_what_names_no_nodes_is_refused(kind, node_id, message):
    pairs, _ = some_pairs(kind, 6, 0)
    with pytest.raises(ValueError, match=f"'node_id' .*{message}"):
        pairs.subset(torch.tensor(node_id))


def test_the_state_belongs_to_the_same_pairs(graph):
    changed = graph.clone()
    changed[:, 0] = torch.tensor([0, 5])
    state = Candidates(graph, 6).state_dict()
    keys = Candidates(graph.flip(1), 6).load_state_dict(state)
    assert keys.missing_keys == keys.unexpected_keys == []
    for other in (graph[:, :5], changed):
        with pytest.raises(ValueError, match='other Candidates'):
            Candidates(other, 6).load_state_dict(state)
    state = ClusterPairs(torch.tensor([7, 7, 2, 2])).state_dict()
    ClusterPairs(torch.tensor([0, 0, 1, 1])).load_state_dict(state)
    with pytest.raises(ValueError, match='other ClusterPairs'):
        ClusterPairs(torch.tensor([0, 1, 1, 0])).load_state_dict(state)


@pytest.mark.parametrize('kwargs', [{}, {'sampler': Bernoulli()}])
@pytest.mark.parametrize('posterior', [FreePosterior, LowRankPosterior])
def test_the_model_is_that_of_each_cluster_alone(graph, posterior, kwargs):
    cluster = torch.tensor([0, 1, 0, 1, 1, 0])
    pairs = ClusterPairs(cluster)
    prior = SmoothedPrior(graph[:, pairs.joins(graph)], 6, pairs=pairs)
    learner = VariationalGraphLearner(
        GCN(3, 8, 2, 2), prior, posterior(), **kwargs
    )
    for parameter in learner.posterior.parameters():
        parameter.data += torch.randn_like(parameter)
    x, noise = torch.randn(6, 3), learner.noise(2)
    assert noise.background is None
    whole = learner(x, noise=noise)
    for c in (0, 1):
        n_id = (cluster == c).nonzero().view(-1).flip(0)
        part = prior.subset(n_id)
        assert isinstance(part.pairs, AllPairs)
        same = type(noise)(noise.logistic[:, part.pairs.position])
        out = learner(x[n_id], noise=same, prior=part)
        assert torch.allclose(out, whole[:, n_id], atol=1e-6)
        dense = prior.probs[part.pairs.position]
        assert torch.equal(part.probs, dense)


def test_gradients_of_the_logits_in_clusters():
    pairs = ClusterPairs(torch.tensor([0, 1, 0, 1, 1, 0]))
    learner = VariationalGraphLearner(
        GCN(3, 8, 2, 2).double(),
        ConstantPrior(pairs, 0.4).double(),
        posterior=FreePosterior(),
    )
    x, noise = torch.randn(6, 3).double(), learner.noise(2)

    def value(offset):
        learner.posterior.offset.data.copy_(offset)
        return learner(x, noise=noise).square().sum()

    value(torch.zeros(6)).backward()
    got = learner.posterior.offset.grad
    step = 1e-6 * torch.eye(6).double()
    with torch.no_grad():
        want = [(value(e) - value(-e)) / 2e-6 for e in step]
    assert torch.allclose(got, torch.stack(want), atol=1e-7)


def test_what_makes_no_pairs_is_refused():
    with pytest.raises(ValueError, match="'num_nodes' must be at least 2"):
        AllPairs(1)
    with pytest.raises(ValueError, match="'cluster' must name the clusters"):
        ClusterPairs(torch.tensor([[0, 1]]))
    with pytest.raises(TypeError, match="'cluster' must hold integers"):
        ClusterPairs(torch.tensor([0.5, 1.0]))
    with pytest.raises(ValueError, match="'pairs' must contain each"):
        cluster = torch.tensor([0, 0, 1])
        edge_index = torch.tensor([[0], [2]])
        SmoothedPrior(edge_index, 3, pairs=ClusterPairs(cluster))
