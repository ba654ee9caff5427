import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

from torch_geometric_vgcn.plots import plot_posterior_change
from torch_geometric_vgcn.plots.axes import RED


def stairs(ax):
    return [patch for patch in ax.patches if hasattr(patch, 'get_data')]


def test_the_added_pairs_are_a_red_outline(learner, data):
    ax = plot_posterior_change(learner, data.added_pairs)
    assert ax.get_title('left') == '4 of 7 links moved by more than 0.02'
    assert sum(bar.get_height() for bar in ax.containers[0]) == 3
    (outline,) = stairs(ax)
    value, edges, _ = outline.get_data()
    assert to_hex(outline.get_edgecolor()) == RED.lower()
    # One link, from 0.25 to 0.05, and no outline where there is none:
    (place,) = np.flatnonzero(~np.isnan(value))
    assert value[place] == 1
    assert edges[place] - 1e-6 <= -0.2 <= edges[place + 1] + 1e-6
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [
        "the graph's own: 3",
        'added: 1\n(0 of all 1 end at ½ or more)',
    ]


def test_without_added_pairs(learner):
    _, ax = plt.subplots()
    assert plot_posterior_change(learner, ax=ax) is ax
    assert sum(bar.get_height() for bar in ax.containers[0]) == 4
    assert not stairs(ax) and ax.get_legend() is None
    left, right = ax.get_xlim()
    assert left == -right and right > 0.65


def test_says_so_if_nothing_has_moved(learner, data):
    learner.reset_parameters()
    ax = plot_posterior_change(learner, data.added_pairs)
    assert [t.get_text() for t in ax.texts] == [
        'no link moved by more than 0.02'
    ]
    assert not ax.patches


def test_bad_input_leaves_no_figure(learner, data):
    with pytest.raises(ValueError, match="'added_pairs' must have shape"):
        plot_posterior_change(learner, data.added_pairs.view(-1))
    assert not plt.get_fignums()
