import pytest
import torch
from systems.bernoulli_graph import BernoulliGraph
from systems.mmsbm import AssortativeMMSBM

from torch_geometric_vgcn.pairs import AllPairs


@pytest.fixture
def model(communities) -> AssortativeMMSBM:
    r"""A model with a rough guess of the communities, a third of it wrong."""
    right = torch.arange(60) % 3 > 0
    guess = torch.where(right, communities.truth, 1 - communities.truth)
    membership = 0.2 + 0.6 * torch.eye(2)[guess]
    return AssortativeMMSBM(membership, communities.edge_index, 1.5, 2.0)


def test_the_probability_of_a_pair_sums_over_communities(model):
    strength, across = model.strength_logit.sigmoid(), model.across_logit
    block = across.sigmoid().repeat(2, 2).fill_diagonal_(0)
    block = block + strength.diag()
    expected = model.membership @ block @ model.membership.t()
    row, col = pairs = AllPairs(60).index
    expected = expected[row, col]
    assert torch.allclose(model.probability(pairs), expected)
    assert torch.allclose(model.probabilities(), expected, atol=1e-6)


def test_starts_with_the_observed_number_of_edges(model, communities):
    num_edges = communities.edge_index.size(1) / 2
    assert model.probabilities().sum().item() == pytest.approx(num_edges)


def test_the_joint_density_agrees_with_torch_distributions(model, communities):
    pairs = AllPairs(60)
    edge = pairs.contains(communities.edge_index)
    prob = model.probability(pairs.index)
    likelihood = torch.distributions.Bernoulli(prob).log_prob(edge.float())
    strength = model.strength_logit.sigmoid()
    dirichlet = torch.distributions.Dirichlet(torch.full((2,), 1.5))
    beta = torch.distributions.Beta(2.0, 2.0)
    expected = likelihood.sum() + beta.log_prob(strength).sum()
    expected = expected + dirichlet.log_prob(model.membership).sum()
    joint = model.log_joint(pairs.index[:, ~edge])
    # Equal up to a constant, so the gradients are the same:
    parameters = list(model.parameters())
    for mine, theirs in zip(
        torch.autograd.grad(joint, parameters, retain_graph=True),
        torch.autograd.grad(expected, parameters),
        strict=True,
    ):
        assert mine.abs().max() > 0.01
        assert torch.allclose(mine, theirs, rtol=1e-3, atol=1e-3)


def test_a_sample_of_pairs_is_unbiased(model, communities):
    pairs = AllPairs(60)
    others = pairs.index[:, ~pairs.contains(communities.edge_index)]
    generator = torch.Generator().manual_seed(0)
    estimates = []
    for _ in range(400):
        some = torch.randint(others.size(1), (50,), generator=generator)
        estimates.append(model.log_joint(others[:, some]).detach())
    estimate = torch.stack(estimates)
    error = estimate.mean() - model.log_joint(others).detach()
    assert error.abs() < 4 * estimate.std() / 20


def test_recovers_planted_communities(communities):
    generator = torch.Generator().manual_seed(0)
    right = torch.arange(60) % 3 > 0
    guess = torch.where(right, communities.truth, 1 - communities.truth)
    membership = 0.2 + 0.6 * torch.eye(2)[guess]
    model = AssortativeMMSBM(membership, communities.edge_index)
    model.fit(generator, steps=500, lr=0.05, batch_size=1000)
    found = model.membership.argmax(dim=1)
    assert (found == communities.truth).float().mean() > 0.9
    assert (model.strength_logit > model.across_logit + 1).all()


def test_samples_have_about_the_observed_number_of_edges(communities):
    generator = torch.Generator().manual_seed(0)
    membership = 0.2 + 0.6 * torch.eye(2)[communities.truth]
    model = AssortativeMMSBM(membership, communities.edge_index)
    model.fit(generator, batch_size=1000)
    graphs = BernoulliGraph(model.probabilities(), 60, generator)
    count = sum(graphs.sample().size(1) for _ in range(20)) / 20
    num_edges = communities.edge_index.size(1) / 2
    assert count == pytest.approx(num_edges, rel=0.1)
