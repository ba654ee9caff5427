import subprocess
import sys
from io import BytesIO
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from torch import tensor
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import (
    EvidencePrior,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.plots import (
    plot_convergence,
    plot_posterior_change,
    plot_posterior_histogram,
    plot_reliability,
)
from torch_geometric_vgcn.plots.axes import RED
from torch_geometric_vgcn.training import Fit

WITHOUT = """
import sys
import torch
from torch_geometric.nn import GCNConv
from torch_geometric_vgcn import SmoothedPrior, VariationalGraphLearner
print('matplotlib' in sys.modules, 'torch_geometric_vgcn.plots' in sys.modules)
sys.modules['matplotlib'] = None  # as if it weren't installed
from torch_geometric_vgcn.plots import plot_posterior_change

prior = SmoothedPrior(torch.tensor([[0, 1], [1, 2]]), 3)
try:
    plot_posterior_change(VariationalGraphLearner(GCNConv(3, 2), prior))
except ImportError as error:
    print(error)
"""
PROB = tensor([[0.9, 0.1], [0.9, 0.1], [0.35, 0.65], [0.45, 0.55]])
Y, ALL = tensor([0, 1, 1, 0]), tensor([0, 1, 2, 3])


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def heights(bars):
    return sum(bar.get_height() for bar in bars)


def fit_of(*accuracies):
    best = max(range(len(accuracies)), key=accuracies.__getitem__)
    history = [{'loss': 1.0, 'val_acc': value} for value in accuracies]
    return Fit(best, accuracies[best], 1.0, history)


def test_matplotlib_is_only_needed_to_draw():
    command = [sys.executable, '-c', WITHOUT]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        'False False',
        "'torch_geometric_vgcn.plots' needs the package matplotlib: "
        'pip install matplotlib',
    ]


DRAWN = {
    'histogram': lambda learner, ax: plot_posterior_histogram(learner, ax=ax),
    'change': lambda learner, ax: plot_posterior_change(learner, ax=ax),
    'convergence': lambda _, ax: plot_convergence({'a': [0.1, 0.4]}, ax),
    'reliability': lambda _, ax: plot_reliability(PROB, Y, ALL, ax=ax),
}


@pytest.mark.parametrize('plot', DRAWN.values(), ids=DRAWN)
def test_on_axes_of_ones_own(learner, plot):
    _, axes = plt.subplots(1, 2)
    assert plot(learner, axes[1]) is axes[1]
    assert len(plt.get_fignums()) == 1 and not axes[0].has_data()
    with pytest.raises(TypeError, match="'ax' must be a Axes, got int"):
        plot(learner, 3)


def test_histogram_has_each_moved_link_in_a_bar(learner):
    ax = plot_posterior_histogram(learner)
    assert ax.get_title('left') == '4 of 7 links moved by more than 0.02'
    assert ax.get_xlabel() and ax.get_ylabel() == 'links'
    down, up = ax.containers
    assert heights(down) == 1 and heights(up) == 3
    bar = next(bar for bar in down if bar.get_height())
    assert bar.get_x() <= 0.0501 and bar.get_x() + bar.get_width() >= 0.0499
    (line,) = ax.lines
    assert line.get_xdata()[0] == pytest.approx(0.25)
    assert set(legend(ax)) == {
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
    assert 'the same links, by the prior' in legend(ax)


def test_change_has_the_added_pairs_as_a_red_outline(learner, data):
    ax = plot_posterior_change(learner, data.added_pairs)
    assert ax.get_title('left') == '4 of 7 links moved by more than 0.02'
    assert heights(ax.containers[0]) == 3
    (outline,) = (each for each in ax.patches if hasattr(each, 'get_data'))
    value, edges, _ = outline.get_data()
    assert to_hex(outline.get_edgecolor()) == RED.lower()
    # One link, from 0.25 to 0.05, and no outline where there is none:
    (place,) = np.flatnonzero(~np.isnan(value))
    assert value[place] == 1
    assert edges[place] - 1e-6 <= -0.2 <= edges[place + 1] + 1e-6
    assert legend(ax) == [
        "the graph's own: 3",
        'added: 1\n(0 of all 1 end at ½ or more)',
    ]
    plain = plot_posterior_change(learner)
    assert heights(plain.containers[0]) == 4 and plain.get_legend() is None
    left, right = plain.get_xlim()
    assert left == -right and right > 0.65


@pytest.mark.parametrize(
    'plot', [plot_posterior_histogram, plot_posterior_change]
)
def test_says_so_if_nothing_has_moved(learner, plot):
    learner.reset_parameters()
    ax = plot(learner, min_change=0.1)
    (text,) = ax.texts
    assert text.get_text() == 'no link moved by more than 0.1'
    assert not ax.patches


def test_convergence_has_a_line_and_a_best_epoch_for_each_run():
    runs = {'relaxed': fit_of(0.2, 0.7, 0.6), 'discrete': fit_of(0.1, 0.5)}
    ax = plot_convergence(runs)
    first, best, second, best2 = ax.lines
    assert first.get_xdata().tolist() == [1, 2, 3]
    assert first.get_ydata().tolist() == [0.2, 0.7, 0.6]
    assert (*best.get_xdata(), *best.get_ydata()) == (2, 0.7)
    assert second.get_ydata().tolist() == [0.1, 0.5]
    assert (*best2.get_xdata(), *best2.get_ydata()) == (2, 0.5)
    assert first.get_color() == best.get_color() != second.get_color()
    assert legend(ax) == ['relaxed', 'discrete']
    assert ax.get_ylabel() == 'validation accuracy'
    assert ax.get_xlabel() == 'epoch (dot: the best one)'
    assert ax.yaxis.get_major_formatter()(0.5, 0) == '50 %'


def test_many_runs_still_differ():
    ax = plot_convergence({str(run): tensor([0.1, 0.2]) for run in range(14)})
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == 14
    assert ax.get_ylabel() == 'accuracy' and ax.get_xlabel() == 'epoch'


@pytest.mark.parametrize(
    'name', ['$x$', '$\\frac$ of $', '_hidden', '<b>&amp;', 'two\nlines']
)
def test_names_of_runs_are_shown_as_they_are(name):
    ax = plot_convergence({name: [0.1, 0.2]})
    svg = BytesIO()
    with plt.rc_context({'svg.fonttype': 'none'}):
        ax.figure.savefig(svg, format='svg')
    root = ElementTree.fromstring(svg.getvalue())
    assert name.split('\n')[0] in ''.join(root.itertext())


def test_reliability_has_bars_gaps_and_counts():
    ax = plot_reliability(PROB, Y, ALL, bins=5)
    assert ax.get_title('left') == 'ECE 0.425 on 4 nodes'
    accuracy, gap = ax.containers
    assert [bar.get_height() for bar in accuracy] == [0, 1, 0.5]
    middle = [bar.get_x() + bar.get_width() / 2 for bar in accuracy]
    assert middle == pytest.approx([0.5, 0.7, 0.9])
    # From the accuracy up or down to the mean confidence:
    ends = [bar.get_y() + bar.get_height() for bar in gap]
    assert ends == pytest.approx([0.55, 0.65, 0.9])
    assert all(bar.get_hatch() for bar in gap)
    assert [text.get_text() for text in ax.texts] == ['1', '1', '2']
    assert ax.get_xlabel() == 'confidence' and ax.get_ylabel() == 'accuracy'


HISTORIES = [
    ({}, "'histories' must hold at least one run"),
    ({'mine': []}, "at least one epoch per run.* got 0 of 'mine'"),
    ({'mine': [50.0]}, "between 0 and 1, got values from 50 to 50 in 'mi"),
    ({'mine': [float('nan')]}, 'between 0 and 1'),
    ([0.5], "'histories' must be a Mapping, got list"),
    ({'mine': 0.5}, 'must be a Sequence, got float'),
    ({'mine': ['good']}, "must be a number, got 'good'"),
    ({3: [0.5]}, "names of 'histories'' must be a str"),
    ({'mine': Fit(5, 0.5, 1.0, [{'val_acc': 0.5}])}, 'at least one epoch per'),
    (
        {'mine': Fit(0, 0.5, 1.0, [{'val_r2': 0.5}], score='r2')},
        "accuracies, got the score 'r2' of",
    ),
]


@pytest.mark.parametrize(('histories', 'message'), HISTORIES)
def test_what_is_no_history_is_refused(histories, message):
    with pytest.raises((TypeError, ValueError), match=message):
        plot_convergence(histories)
    assert not plt.get_fignums()


def test_bad_input_leaves_no_figure(learner, data):
    with pytest.raises(ValueError, match="'min_change'"):
        plot_posterior_histogram(learner, min_change=2)
    with pytest.raises(ValueError, match="'added_pairs' must have shape"):
        plot_posterior_change(learner, data.added_pairs.view(-1))
    with pytest.raises(ValueError, match="'prob' must hold probabilities"):
        plot_reliability(2 * PROB, Y, ALL)
    assert not plt.get_fignums()
