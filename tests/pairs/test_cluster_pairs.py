import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    AllPairs,
    Bernoulli,
    FreePosterior,
    LowRankPosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.pairs import ClusterPairs
from torch_geometric_vgcn.prior import ConstantPrior

label = st.integers(0, 3)
clusters = st.lists(label, min_size=2, max_size=12).map(torch.tensor)


@given(clusters)
def test_all_pairs_inside_each_cluster_in_order(cluster):
    pairs = ClusterPairs(cluster)
    row, col = AllPairs(cluster.numel()).index
    inside = cluster[row] == cluster[col]
    expected = torch.stack([row, col])[:, inside]
    assert torch.equal(pairs.index, expected)
    assert len(pairs) == expected.size(1)
    assert torch.equal(pairs.key, expected[0] * len(cluster) + expected[1])
    assert not pairs.has_background


@given(clusters, st.randoms(use_true_random=False))
def test_subset_names_the_same_pairs(cluster, random):
    n = cluster.numel()
    node_id = torch.tensor(random.sample(range(n), random.randint(2, n)))
    pairs = ClusterPairs(cluster)
    part = pairs.subset(node_id)
    named = node_id[part.index].sort(dim=0).values
    assert torch.equal(named, pairs.index[:, part.position])
    assert len(part) == int(torch.isin(pairs.index, node_id).all(0).sum())
    whole = bool((cluster[node_id] == cluster[node_id[0]]).all())
    assert isinstance(part, AllPairs) == whole


@given(clusters)
def test_products_and_their_gradients_are_those_of_the_matrix(cluster):
    n = cluster.numel()
    pairs = ClusterPairs(cluster)
    row, col = pairs.index
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


def test_contains_edges_inside_in_either_direction(graph):
    pairs = ClusterPairs(torch.tensor([0, 0, 1, 1, 1, 1]))
    mask = pairs.contains(torch.tensor([[1, 4, 1], [0, 2, 2]]))
    assert pairs.index[:, mask].t().tolist() == [[0, 1], [2, 4]]
    assert pairs.joins(graph).sum() == 10


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
        same = type(noise)(noise.logistic[:, part.pairs.position])
        out = learner(x[n_id], noise=same, prior=part)
        assert torch.allclose(out, whole[:, n_id], atol=1e-6)
        dense = prior.probs[part.pairs.position]
        assert torch.equal(part.probs, dense)


def test_gradients_of_the_logits(graph):
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


def test_state_of_another_partition_is_refused():
    pairs = ClusterPairs(torch.tensor([0, 0, 1, 1]))
    pairs.load_state_dict(
        ClusterPairs(torch.tensor([7, 7, 2, 2])).state_dict()
    )
    other = ClusterPairs(torch.tensor([0, 1, 1, 0]))
    with pytest.raises(ValueError, match='saved for other clusters'):
        pairs.load_state_dict(other.state_dict())


def test_what_names_no_clusters_is_refused():
    with pytest.raises(ValueError, match="'cluster' must name the clusters"):
        ClusterPairs(torch.tensor([[0, 1]]))
    with pytest.raises(TypeError, match="'cluster' must hold integers"):
        ClusterPairs(torch.tensor([0.5, 1.0]))
    with pytest.raises(ValueError, match="'pairs' must contain each"):
        cluster = torch.tensor([0, 0, 1])
        edge_index = torch.tensor([[0], [2]])
        SmoothedPrior(edge_index, 3, pairs=ClusterPairs(cluster))
