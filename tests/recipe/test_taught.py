r"""Label propagation as a member: by turns the network, the edges and the
classes of all nodes.
"""

import pytest
import torch

from torch_geometric_vgcn import VariationalGraphLearner
from torch_geometric_vgcn.models import LabelPropagation
from torch_geometric_vgcn.prior import SmoothedPrior
from torch_geometric_vgcn.recipe import (
    TaughtMember,
    given_graph,
    nearest_neighbors,
    no_graph,
    table_members,
)
from torch_geometric_vgcn.sample import PosteriorMean


@pytest.fixture
def clear(blocks):
    r"""The same with features that tell the class."""
    blocks.x = blocks.x + 2 * torch.eye(5)[blocks.y]
    return blocks


SHORT = {'hidden': 16, 'steps': 40}


def test_it_is_the_mean_of_a_gaussian_field(blocks):
    r"""Against a dense solution of the linear equations."""
    size = blocks.num_nodes
    node = torch.arange(12)
    value = torch.eye(3)[blocks.y[node]]
    net = LabelPropagation(5, 8, node, value)
    prior = SmoothedPrior(blocks.edge_index, size, rho1=0.3)
    learner = VariationalGraphLearner(net, prior, sampler=PosteriorMean())
    found = learner.predict(blocks.x)
    with torch.no_grad():
        own = net.eval().alone(blocks.x).softmax(dim=-1)
    own[node] = value
    i, j = prior.pairs.index
    weight = torch.zeros(size, size)
    weight[i, j] = weight[j, i] = learner.edge_probs()
    matrix = torch.eye(size) + weight.sum(1).diag() - weight
    matrix[node] = torch.eye(size)[node]
    expected = torch.linalg.solve(matrix, own)
    assert (found - expected).abs().max() < 0.02
    assert torch.equal(found[node].argmax(dim=1), blocks.y[node])


@pytest.mark.parametrize('source', [no_graph, nearest_neighbors, given_graph])
def test_it_learns_and_the_edges_follow(clear, model_of, source):
    model = model_of(
        clear, members=[TaughtMember('taught', source, **SHORT)]
    ).fit()
    hit = model.predict().argmax(dim=1) == clear.y
    assert hit[clear.test_mask].float().mean() > 0.6
    if source is given_graph:
        edges = model.edges()
        changed = edges['posterior'] - edges['prior']
        same = clear.y[edges['source']] == clear.y[edges['target']]
        assert changed[same.numpy()].mean() > changed[~same.numpy()].mean()


def test_edges_that_are_not_learned_stay_at_their_prior(blocks, model_of):
    blocks.edge_index = None
    members = [TaughtMember('taught', nearest_neighbors, learn=False, **SHORT)]
    edges = model_of(blocks, members=members).fit().edges()
    assert (edges['posterior'] == edges['prior']).all()


def test_quantities(clear, model_of):
    clear.y = clear.y + 0.1 * clear.x[:, 0]
    members = table_members(**SHORT)
    trusting = table_members(given=True, trust=0.3)
    assert all(member.rho1 == 0.3 for member in trusting)
    model = model_of(clear, members=members).fit()
    found, y = model.predict()[:, 0], clear.y
    error = (found - y)[clear.test_mask].square().mean()
    assert error < 0.7 * y.var()
    assert sum(model.weights_.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    'option',
    [{'hidden': 0}, {'steps': 0}],
)
def test_bad_arguments(option):
    with pytest.raises(ValueError, match=f"'{next(iter(option))}'"):
        TaughtMember('taught', no_graph, **option)
