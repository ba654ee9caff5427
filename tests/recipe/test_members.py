"""Members: their graphs, their networks, and what users can replace."""

import pytest
import torch
from torch_geometric.nn import GCN

from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.recipe import (
    FixedMember,
    LearnedMember,
    given_graph,
    nearest_neighbors,
    no_graph,
)
from torch_geometric_vgcn.recipe.task import prepare


def gcn_of_8(task):
    return GCN(task.num_features, 8, 2, task.num_classes)


def test_the_controls_are_always_there(blocks, model_of):
    names = [m.name for m in model_of(blocks, members=None).members]
    assert {'no graph', 'nearest neighbours', 'given graph'} <= set(names)
    blocks.edge_index = None
    names = [m.name for m in model_of(blocks, members=None).members]
    assert names == ['no graph', 'nearest neighbours']


def test_sources_are_joined(blocks):
    task = prepare(blocks)
    both = FixedMember('both', given_graph, nearest_neighbors).graph(task)
    pairs = set(map(tuple, both.t().tolist()))
    for source in (given_graph, nearest_neighbors):
        assert set(map(tuple, source(task).t().tolist())) <= pairs
    assert FixedMember('none', no_graph).graph(task).size(1) == 0


def test_the_users_network_takes_the_place_of_those_on_graphs(
    blocks, model_of
):
    model = model_of(blocks, members=None, network=gcn_of_8)
    nets = {m.name: m.learner(model.task).conv for m in model.members}
    assert isinstance(nets.pop('no graph'), PropagatedMLP)
    assert all(isinstance(net, GCN) for net in nets.values())
    assert 'network=gcn_of_8' in repr(model)


def test_a_member_can_have_any_graph(blocks, model_of):
    def ring(task):
        node = torch.arange(task.num_nodes)
        return torch.stack([node, (node + 1) % task.num_nodes])

    member = LearnedMember('ring', ring)
    model = model_of(blocks, members=[member]).fit()
    assert model.weights_ == {'ring': 1.0}
    assert len(model.edges()) > 60  # those of the ring and the given ones
    assert (
        repr(member) == "LearnedMember('ring', ring, rho1=0.1, evidence=2.0)"
    )


def matrix(task):
    return torch.eye(task.num_nodes)


def beyond(task):
    return torch.tensor([[0], [task.num_nodes]])


@pytest.mark.parametrize('source', [matrix, beyond, print])
def test_a_source_returns_an_edge_index(blocks, model_of, source):
    member = LearnedMember('a', given_graph, source)
    match = rf"'{source.__name__}\(task\)'"
    with pytest.raises((TypeError, ValueError), match=match):
        model_of(blocks, members=[member])


def test_sources_and_networks_are_functions(blocks):
    net = GCN(5, 8, 2, 3)
    with pytest.raises(TypeError, match="'sources'.*function.*a GCN"):
        FixedMember('a', net)
    with pytest.raises(TypeError, match="'network'.*function.*a GCN"):
        FixedMember('a', given_graph, network=net)


GIVEN = FixedMember('a', given_graph)


@pytest.mark.parametrize(
    ('members', 'name'),
    [
        ([], 'members'),
        ([no_graph], 'members'),
        ('no graph', 'members'),
        ([GIVEN, FixedMember('a', no_graph)], 'members'),
        ([GIVEN], 'edge_index'),  # there is none
    ],
)
def test_members_are_a_list_of_members(blocks, model_of, members, name):
    blocks.edge_index = None
    with pytest.raises((TypeError, ValueError), match=f"'{name}"):
        model_of(blocks, members=members)
