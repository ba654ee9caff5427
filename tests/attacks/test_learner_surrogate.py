import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import erdos_renyi_graph, to_undirected

from torch_geometric_vgcn import ClassPosterior, EvidencePrior, SmoothedPrior
from torch_geometric_vgcn.attacks import (
    GradientAttack,
    LearnerSurrogate,
    TrainedGCN,
)
from torch_geometric_vgcn.prior import (
    cosine_similarity,
    jaccard_similarity,
    negative_distance,
)
from torch_geometric_vgcn.utils import find, pair_key


@pytest.fixture
def data():
    y = torch.arange(24) % 3
    x = torch.nn.functional.one_hot(y, 6) + torch.rand(24, 6).round()
    part = torch.arange(24) // 3 % 3
    return Data(
        x=x,
        y=y,
        edge_index=erdos_renyi_graph(24, 0.2),
        train_mask=part == 0,
        val_mask=part == 1,
        test_mask=part == 2,
    )


def each_edge(data, prior, value):
    """One value per directed edge, from one per pair."""
    place, found = find(prior.pairs.key, pair_key(data.edge_index, 24))
    assert found.all()
    return value[place]


@pytest.mark.parametrize('rho1', [0.25, 0.5])
@pytest.mark.parametrize('weight', [0.0, 2.0])
@pytest.mark.parametrize(
    'similarity', [cosine_similarity, jaccard_similarity, negative_distance]
)
def test_the_weights_are_the_probabilities_of_the_prior(
    data, rho1, weight, similarity
):
    surrogate = LearnerSurrogate(rho1, weight, similarity, None, epochs=2)
    network = surrogate(data)
    prior = SmoothedPrior(data.edge_index, 24, rho1)
    prior = EvidencePrior(prior, data.x, weight, similarity)
    expected = each_edge(data, prior, prior.probs)
    out = network.edge_probs(data.x, data.edge_index)
    assert torch.allclose(out, expected, atol=1e-6)
    ones = torch.ones(data.num_edges)
    out = network.edge_probs(data.x, data.edge_index, ones)
    assert torch.allclose(out, expected, atol=1e-6)


def test_edges_of_no_weight_are_no_edges(data):
    network = LearnerSurrogate(homophily=None, epochs=2)(data)
    free = torch.tensor([[0, 1, 2, 4], [20, 21, 22, 23]])
    free = to_undirected(free)
    free = free[
        :, ~torch.isin(pair_key(free, 24), pair_key(data.edge_index, 24))
    ]
    more = torch.cat([data.edge_index, free], dim=1)
    weight = torch.ones(more.size(1))
    weight[data.num_edges :] = 0
    out = network.edge_probs(data.x, more, weight)
    expected = network.edge_probs(data.x, data.edge_index)
    assert torch.allclose(out[: data.num_edges], expected, atol=1e-6)
    assert not out[data.num_edges :].any()
    assert torch.allclose(
        network(data.x, more, weight),
        network(data.x, data.edge_index),
        atol=1e-5,
    )


def test_classes_are_those_of_a_posterior(data):
    network = LearnerSurrogate(homophily=0.8, epochs=20)(data)
    classes = network.classes
    assert isinstance(classes, ClassPosterior)
    known = torch.nn.functional.one_hot(data.y)[data.train_mask].float()
    assert torch.equal(classes.prob[data.train_mask], known)
    assert not torch.allclose(
        classes.prob[~data.train_mask], torch.ones(3) / 3
    )
    prior = SmoothedPrior(data.edge_index, 24, 0.5)
    prior = EvidencePrior(prior, data.x)
    expected = classes(prior).sigmoid()
    out = network.edge_probs(data.x, data.edge_index)
    expected = each_edge(data, prior, expected)
    assert torch.allclose(out, expected, atol=1e-6)
    without = each_edge(data, prior, prior.probs)
    assert not torch.allclose(out, without, atol=0.01)


@pytest.mark.parametrize('homophily', [None, 0.9])
def test_the_gradient_is_right(data, homophily):
    data.x = data.x.double()
    network = LearnerSurrogate(homophily=homophily, epochs=5)(data)
    weight = 0.2 + 0.8 * torch.rand(data.num_edges, dtype=torch.double)
    weight.requires_grad_()

    def probs(weight):
        return network.edge_probs(data.x, data.edge_index, weight)

    def out(weight):
        return network(data.x, data.edge_index, weight)

    assert torch.autograd.gradcheck(probs, weight)
    assert torch.autograd.gradcheck(out, weight)
    # Through the standardisation, an edge moves the weights of others:
    (grad,) = torch.autograd.grad(probs(weight)[0], weight)
    assert (grad[1:] != 0).any()


def test_equal_similarities_have_a_finite_gradient(data):
    data.x = torch.ones(24, 2)
    network = LearnerSurrogate(homophily=None, epochs=2)(data)
    weight = torch.ones(data.num_edges, requires_grad=True)
    out = network.edge_probs(data.x, data.edge_index, weight)
    assert torch.allclose(out, torch.tensor(0.5), atol=1e-3)
    (grad,) = torch.autograd.grad(out.sum(), weight)
    assert grad.isfinite().all()


def test_features_may_change_between_calls(data):
    network = LearnerSurrogate(homophily=None, epochs=2)(data)
    before = network.edge_probs(data.x, data.edge_index)
    data.x[:12] = data.x[:12].roll(1, dims=0)
    after = network.edge_probs(data.x, data.edge_index)
    assert torch.equal(
        after, network.edge_probs(data.x.clone(), data.edge_index)
    )
    assert not torch.equal(after, before)


def test_who_knows_the_defence_adds_edges_that_it_trusts(cora):
    """To the prior, they are more probable than those that are to hurt a
    GCN.
    """
    small = cora.subgraph(torch.arange(800))
    small.test_mask = ~(small.train_mask | small.val_mask)
    trust = {}
    for surrogate in (
        TrainedGCN(epochs=30),
        LearnerSurrogate(epochs=30, homophily=None),
    ):
        attack = GradientAttack(0.1, surrogate, block_size=3000, epochs=25)
        out = attack(small)
        prior = SmoothedPrior(out.edge_index, 800, 0.5)
        prior = EvidencePrior(prior, out.x)
        added = prior.pairs.contains(out.added_pairs)
        trust[type(surrogate)] = float(prior.probs[added].mean())
    assert trust[LearnerSurrogate] > trust[TrainedGCN] + 0.05


@pytest.mark.parametrize(
    ('given', 'error'),
    [
        ({'rho1': 1.0}, ValueError),
        ({'weight': 'abc'}, TypeError),
        ({'similarity': None}, TypeError),
        ({'homophily': 1.5}, ValueError),
        ({'network': 3}, TypeError),
        ({'epochs': 0}, ValueError),
    ],
)
def test_bad_arguments_are_refused(given, error):
    (name,) = given
    with pytest.raises(error, match=f"'{name}' must"):
        LearnerSurrogate(**given)


def test_what_a_factory_and_a_similarity_return_is_checked(data):
    with pytest.raises(TypeError, match=r"'network\(.*\)' must be a Module"):
        LearnerSurrogate(network=lambda inputs, classes: None)(data)
    surrogate = LearnerSurrogate(similarity=lambda x, pairs: x)
    with pytest.raises(ValueError, match=r'similarity\(x, pairs\)'):
        surrogate(data)
