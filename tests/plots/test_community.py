import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from torch_geometric.data import Data

from torch_geometric_vgcn import VGCN, AllPairs
from torch_geometric_vgcn.plots import plot_community
from torch_geometric_vgcn.plots.axes import DARK, RED
from torch_geometric_vgcn.recipe import Effort, LearnedMember, given_graph

ALL = torch.arange(6)


def lines(ax, color):
    """The lines of a colour, from end to end, with their opacity."""
    found = {}
    for drawn in ax.collections:
        if isinstance(drawn, LineCollection):
            ends = drawn.get_segments()
            colors = [tuple(c) for c in drawn.get_colors()] * len(ends)
            for end, rgba in zip(ends, colors, strict=False):
                if to_hex(rgba) == color.lower():
                    found[tuple(end.round(6).flatten())] = rgba[3]
    return found


def nodes(ax):
    return {
        drawn.get_label(): drawn.get_offsets()
        for drawn in ax.collections
        if not isinstance(drawn, LineCollection)
    }


def test_given_graph_beside_learned_graph(learner, data):
    left, right = plot_community(data, learner, ALL)
    assert left.figure is right.figure
    assert left.get_title('left') == 'given: 7 edges, 1 added'
    assert right.get_title('left') == (
        'learned: 3 edges at ½ or more, 0 added'
    )
    assert len(lines(left, DARK)) == 6 and len(lines(left, RED)) == 1
    assert set(lines(left, DARK).values()) == {1.0}
    (drawn,) = (c for c in left.collections if isinstance(c, LineCollection))
    for color, (_, dashes) in zip(
        drawn.get_colors(), drawn.get_linestyle(), strict=True
    ):
        assert (to_hex(color) == RED.lower()) == (dashes is not None)
    # Each link of the learned graph is as opaque as it is likely:
    prob = learner.edge_probs().detach()
    opacity = torch.tensor(list(lines(right, DARK).values()))
    assert torch.allclose(opacity, prob.double(), atol=1e-6)
    assert not lines(right, RED)
    # Both have the same layout and a colour a class:
    assert list(nodes(left)) == list(nodes(right)) == ['class 0', 'class 1']
    for label, places in nodes(left).items():
        assert places.shape == (3, 2)
        assert (places == nodes(right)[label]).all()
    given = {**lines(left, DARK), **lines(left, RED)}
    assert set(given) == set(lines(right, DARK))


def test_added_pairs_that_survive_are_red(learner_with, data):
    learner = learner_with(0.1, 0.1, 0.1, 0.75, 0.6, 0.1, 0.1)
    _, right = plot_community(data, learner, ALL)
    assert list(lines(right, RED).values()) == [pytest.approx(0.75)]
    assert len(lines(right, DARK)) == 6
    assert right.get_title('left') == (
        'learned: 2 edges at ½ or more, 1 added'
    )


def test_all_pairs_are_the_complete_graph(learner_with, learner, data):
    probs = learner.edge_probs().tolist()
    dense = learner_with(*probs, pairs=AllPairs(6))
    left, right = plot_community(data, dense, ALL)
    assert len(lines(left, DARK)) == 6
    assert len(lines(right, DARK)) == 15
    opacity = sorted(lines(right, DARK).values())
    assert opacity[:8] == pytest.approx([1e-5] * 8, rel=1e-3)


def test_some_nodes_in_any_order_on_given_axes(learner, data):
    figure, axes = plt.subplots(1, 2)
    some = torch.tensor([3, 0, 2])
    drawn = plot_community(data, learner, some, axes=tuple(axes))
    assert drawn == tuple(axes) and len(plt.get_fignums()) == 1
    # 0-2 is the graph's own, 2-3 was added:
    assert drawn[0].get_title('left') == 'given: 2 edges, 1 added'
    assert sorted(lines(drawn[1], DARK).values()) == pytest.approx([0.05, 0.8])


def test_parts_without_an_edge_between_them(learner, data):
    left, _ = plot_community(data, learner, torch.tensor([0, 1, 4, 5]))
    places = torch.cat([torch.tensor(p.data) for p in nodes(left).values()])
    gap = torch.cdist(places, places)
    assert places.isfinite().all() and gap[0, 2] > gap[0, 1] > 0


def test_without_added_pairs(learner, data):
    del data.added_pairs
    left, right = plot_community(data, learner, ALL)
    assert left.get_title('left') == 'given: 7 edges'
    assert not lines(left, RED)
    added = torch.tensor([[0], [1]])
    left, right = plot_community(data, learner, ALL, added_pairs=added)
    assert len(lines(left, RED)) == len(lines(right, RED)) == 1


def test_the_graph_of_the_one_call(data):
    data.x = torch.eye(6).repeat(1, 2)
    members = [LearnedMember('given', given_graph)]
    effort = Effort(2, 2, warmup=1, folds=2, num_samples=2)
    model = VGCN(data, members=members, effort=effort, progress=False).fit()
    _, right = plot_community(data, model, ALL)
    table = model.edges()
    assert len(lines(right, DARK)) + len(lines(right, RED)) == len(table)
    opacity = [*lines(right, DARK).values(), *lines(right, RED).values()]
    assert sorted(opacity) == pytest.approx(sorted(table.posterior))


def test_more_classes_than_colours_differ_in_shape(learner, data):
    data.y = torch.tensor([0, 7, 14, 1, 8, 15])
    left, _ = plot_community(data, learner, ALL)
    looks = {
        (to_hex(drawn.get_facecolor()[0]), drawn.get_paths()[0].vertices.size)
        for drawn in left.collections
        if not isinstance(drawn, LineCollection)
    }
    assert len(looks) == 6


def test_errors(learner, data, graph):
    message = "'nodes' must hold node ids in .0, 5."
    with pytest.raises(ValueError, match=message):
        plot_community(data, learner, torch.tensor([0, 6]))
    with pytest.raises(ValueError, match="'nodes' must list each node once"):
        plot_community(data, learner, torch.tensor([0, 0]))
    with pytest.raises(ValueError, match="'data' must have the learner's 6"):
        other = Data(edge_index=graph, y=torch.zeros(7).long(), num_nodes=7)
        plot_community(other, learner, ALL)
    with pytest.raises(ValueError, match="'axes' must be 2 axes"):
        plot_community(data, learner, ALL, axes=())
    with pytest.raises(TypeError, match="'axes' must be a Axes, got int"):
        plot_community(data, learner, ALL, axes=(1, 2))
    data.y = data.y.float()
    with pytest.raises(ValueError, match="'y' must hold one int64 class id"):
        plot_community(data, learner, ALL)
    assert not plt.get_fignums()
