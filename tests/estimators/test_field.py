import pytest
import torch

from torch_geometric_vgcn.estimators.field import Field
from torch_geometric_vgcn.estimators.targets import Classes, Values
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.prior import ConstantPrior


@pytest.fixture
def path():
    r"""A path of five rows; the ends have different classes."""
    index = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]])
    prior = ConstantPrior(Candidates(index, 5), 0.8)
    return prior, Classes(torch.tensor([0, -1, -1, -1, 1]), 2)


def exact(prob, index, own, rows):
    r"""The minimum of the expected energy, by solving its linear system."""
    n = own.size(0)
    weight = torch.zeros(n, n, dtype=torch.double)
    weight[index[0], index[1]] = prob.double()
    weight = weight + weight.t()
    system = torch.diag(1 + weight.sum(dim=1)) - weight
    right = own.double().clone()
    system[rows] = torch.eye(n, dtype=torch.double)[rows]
    return torch.linalg.solve(system, right)


def test_it_is_the_minimum_of_the_expected_energy(path):
    prior, targets = path
    own = torch.tensor([[0.5, 0.5], [0.9, 0.1], [0.5, 0.5], [0.4, 0.6]] * 2)
    own, rows = own[:5], torch.tensor([0, 4])
    mean, logits = Field(prior, targets, learn=False)(own, rows)
    own[rows] = targets.value[rows]
    expected = exact(prior.logits.sigmoid(), prior.pairs.index, own, rows)
    torch.testing.assert_close(mean.double(), expected, atol=2e-3, rtol=0)
    assert torch.equal(logits, prior.logits)


def test_the_expected_energy_needs_no_sampled_graphs(path):
    r"""Its mean over all 16 graphs is that of the edges' probabilities."""
    prior, _ = path
    mean = torch.rand(5, 2)
    row, col = prior.pairs.index
    square = (mean[row] - mean[col]).square().sum(dim=1)
    prob = prior.logits.sigmoid()
    total = torch.zeros(())
    for code in range(16):
        edge = torch.tensor([code >> bit & 1 for bit in range(4)])
        chance = torch.where(edge == 1, prob, 1 - prob).prod()
        total += chance * (edge * square).sum()
    torch.testing.assert_close(total, (prob * square).sum())


def test_edges_between_classes_lose(path):
    prior, targets = path
    own = torch.tensor([[1, 0], [0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0, 1.0]])
    _, logits = Field(prior, targets)(own, torch.tensor([0, 4]))
    change = logits - prior.logits
    assert change[2] < 0  # between rows 2 and 3
    assert (change[[0, 1, 3]] > 0).all()


def test_values_that_differ_speak_against_an_edge():
    index = torch.tensor([[0, 1], [1, 2]])
    pairs = Candidates(index, 3)
    targets = Values(torch.zeros(3, 1), torch.tensor([True] * 3))
    mean = torch.tensor([[0.0], [0.1], [2.0]])
    term = targets.edge_term(mean, pairs)
    for value, (i, j) in zip(term, index.t().tolist(), strict=True):
        near = torch.distributions.Normal(0.0, 0.2**0.5)
        far = torch.distributions.Normal(0.0, 2**0.5)
        change = mean[i, 0] - mean[j, 0]
        expected = near.log_prob(change) - far.log_prob(change)
        torch.testing.assert_close(value, expected, atol=1e-5, rtol=0)
    joining = targets.joining_term(mean[:1], mean[None, 1:], mean)
    torch.testing.assert_close(joining[0, 0], term[0])


def test_the_term_of_unseen_rows_is_that_of_training_rows(path):
    prior, targets = path
    mean = torch.rand(5, 2).softmax(dim=-1)
    term = targets.edge_term(mean, prior.pairs).double()
    row, col = prior.pairs.index
    joining = targets.joining_term(
        mean[row].double(), mean[col].unsqueeze(1).double(), mean
    )
    torch.testing.assert_close(joining[:, 0], term, atol=1e-5, rtol=1e-5)
