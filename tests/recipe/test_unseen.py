r"""Nodes that come after training join the nearest ones."""

import pytest
import torch

from torch_geometric_vgcn.recipe import (
    FixedMember,
    LearnedMember,
    TaughtMember,
    given_graph,
    nearest_neighbors,
    no_graph,
)

TAUGHT = TaughtMember('taught', nearest_neighbors, hidden=16, steps=40)


@pytest.mark.parametrize(
    'member',
    [
        FixedMember('none', no_graph),
        LearnedMember('near', nearest_neighbors),
        TAUGHT,
        LearnedMember('given', given_graph, rho1=0.9),
    ],
    ids=lambda member: member.name,
)
def test_new_nodes_are_predicted_as_those_of_training(
    blocks, model_of, member
):
    model = model_of(blocks, members=[member]).fit()
    new = blocks.x + 0.01
    prob = model.predict(new)
    assert prob.shape == (60, 3)
    assert torch.allclose(prob.sum(dim=1), torch.ones(60).to(prob))
    same = prob.argmax(dim=1) == model.predict().argmax(dim=1)
    assert same.float().mean() > 0.6


def test_each_is_predicted_as_if_it_were_alone(blocks, model_of):
    model = model_of(blocks, members=[TAUGHT]).fit()
    new = torch.randn(9, 5, generator=torch.Generator().manual_seed(0))
    many = model.predict(new)
    one = torch.cat([model.predict(row.view(1, -1)) for row in new])
    assert torch.allclose(many, one, atol=1e-12)


def test_members_on_the_given_graph_have_no_part(blocks, model_of):
    members = [TAUGHT, LearnedMember('given', given_graph, rho1=0.9)]
    model = model_of(blocks, members=members).fit()
    alone = model_of(blocks, members=[TAUGHT]).fit()
    new = blocks.x[:7] + 0.1
    assert torch.allclose(model.predict(new), alone.predict(new), atol=1e-6)


@pytest.mark.parametrize(
    ('x', 'message'),
    [
        (torch.zeros(3, 4), "'x' must have 5 columns"),
        (torch.full((3, 5), float('nan')), "'x'"),
    ],
)
def test_other_features_are_refused(fitted, x, message):
    with pytest.raises(ValueError, match=message):
        fitted.predict(x)
