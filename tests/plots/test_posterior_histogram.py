import matplotlib.pyplot as plt
import pytest
import torch
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import (
    EvidencePrior,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.plots import plot_posterior_histogram


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_each_moved_link_is_in_a_bar(learner):
    ax = plot_posterior_histogram(learner)
    assert ax.get_title('left') == '4 of 7 links moved by more than 0.02'
    assert ax.get_xlabel() and ax.get_ylabel() == 'links'
    down, up = ax.containers
    assert sum(bar.get_height() for bar in down) == 1
    assert sum(bar.get_height() for bar in up) == 3
    bar = next(bar for bar in down if bar.get_height())
    assert bar.get_x() <= 0.0501 and bar.get_x() + bar.get_width() >= 0.0499
    (line,) = ax.lines
    assert line.get_xdata()[0] == pytest.approx(0.25)
    assert set(texts(ax)) == {
        'less likely than before: 1',
        'likelier than before: 3',
        'prior: 0.25',
    }


def test_a_prior_of_many_values_is_an_outline(graph):
    prior = EvidencePrior(SmoothedPrior(graph, 6), torch.randn(6, 3))
    learner = VariationalGraphLearner(
        GCNConv(3, 2), prior, posterior=FreePosterior()
    )
    with torch.no_grad():
        learner.posterior.offset += 1.0
    ax = plot_posterior_histogram(learner)
    assert not ax.lines
    assert 'the same links, by the prior' in texts(ax)


def test_on_axes_of_ones_own(learner):
    _, axes = plt.subplots(1, 2)
    assert plot_posterior_histogram(learner, ax=axes[1]) is axes[1]
    assert len(plt.get_fignums()) == 1
    assert not axes[0].has_data()


def test_says_so_if_nothing_has_moved(learner):
    learner.reset_parameters()
    ax = plot_posterior_histogram(learner, min_change=0.1)
    (text,) = ax.texts
    assert text.get_text() == 'no link moved by more than 0.1'
    assert not ax.patches


def test_bad_input_leaves_no_figure(learner):
    with pytest.raises(ValueError, match="'min_change'"):
        plot_posterior_histogram(learner, min_change=2)
    assert not plt.get_fignums()
