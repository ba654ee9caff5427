import pytest
import torch
from systems.bernoulli_graph import BernoulliGraph

from torch_geometric_vgcn.pairs import AllPairs


@pytest.fixture
def theta() -> BernoulliGraph:
    generator = torch.Generator().manual_seed(0)
    edge_index = torch.tensor([[0, 1], [1, 2]])
    return BernoulliGraph.of_graph(edge_index, 5, generator)


def test_starts_as_the_given_graph(theta):
    assert theta.sample().t().tolist() == [[0, 1], [1, 2]]


def test_pairs_are_drawn_with_their_probability():
    generator = torch.Generator().manual_seed(0)
    probs = torch.tensor([0, 0.001, 0.005, 0.00999, 0.011, 0.2, 0.9, 1])
    pairs = AllPairs(200)
    group = torch.arange(len(pairs)) % 8
    theta = BernoulliGraph(probs[group], 200, generator)
    drawn = sum(pairs.contains(theta.sample()).double() for _ in range(40))
    count = torch.zeros(8).double().index_add(0, group, drawn)
    total = 40 * group.bincount()
    spread = (total * probs * (1 - probs)).sqrt()
    assert ((count - total * probs).abs() <= 4 * spread + 1e-3).all()


def test_a_step_follows_the_gradient_and_stays_in_the_unit_interval(theta):
    left = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    right = torch.randn(5, 3, generator=torch.Generator().manual_seed(1))
    row, col = AllPairs(5).index
    grad = left @ right.t()
    expected = theta.prob - 0.8 * (grad + grad.t())[row, col]
    theta.descend(left, right, lr=0.8)
    assert torch.allclose(theta.prob, expected.clamp(0, 1), atol=1e-6)
    assert theta.prob.min() == 0 and theta.prob.max() == 1
    assert ((theta.prob > 0) & (theta.prob < 1)).any()
