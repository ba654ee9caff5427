import matplotlib.pyplot as plt
import pytest

from torch_geometric_vgcn.plots import plot_convergence
from torch_geometric_vgcn.training import Fit


def fit_of(*accuracies):
    best = max(range(len(accuracies)), key=accuracies.__getitem__)
    history = [{'loss': 1.0, 'val_acc': value} for value in accuracies]
    return Fit(best, accuracies[best], 1.0, history)


def test_a_line_and_a_best_epoch_for_each_run():
    runs = {'relaxed': fit_of(0.2, 0.7, 0.6), 'discrete': fit_of(0.1, 0.5)}
    ax = plot_convergence(runs)
    first, best, second, best2 = ax.lines
    assert first.get_xdata().tolist() == [1, 2, 3]
    assert first.get_ydata().tolist() == [0.2, 0.7, 0.6]
    assert (*best.get_xdata(), *best.get_ydata()) == (2, 0.7)
    assert second.get_ydata().tolist() == [0.1, 0.5]
    assert (*best2.get_xdata(), *best2.get_ydata()) == (2, 0.5)
    assert first.get_color() == best.get_color() != second.get_color()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ['relaxed', 'discrete']
    assert ax.get_ylabel() == 'validation accuracy'
    assert ax.get_xlabel() == 'epoch (dot: the best one)'
    assert ax.yaxis.get_major_formatter()(0.5, 0) == '50 %'


def test_plain_accuracies_on_given_axes():
    _, ax = plt.subplots()
    assert plot_convergence({'test': [0.1, 0.4]}, ax) is ax
    assert len(ax.lines) == 1 and len(plt.get_fignums()) == 1
    assert ax.get_ylabel() == 'accuracy' and ax.get_xlabel() == 'epoch'


def test_many_runs_still_differ():
    ax = plot_convergence({str(run): [0.1, 0.2] for run in range(14)})
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == 14


@pytest.mark.parametrize(
    ('histories', 'message'),
    [
        ({}, "'histories' must hold at least one run"),
        ({'mine': []}, "at least one epoch per run.* got 0 of 'mine'"),
        ({'mine': [50.0]}, "between 0 and 1, got values from 50 to 50 in 'mi"),
        ({'mine': [float('nan')]}, 'between 0 and 1'),
    ],
)
def test_errors(histories, message):
    with pytest.raises(ValueError, match=message):
        plot_convergence(histories)
    assert not plt.get_fignums()


@pytest.mark.parametrize(
    ('histories', 'message'),
    [
        ([0.5], "'histories' must be a Mapping, got list"),
        ({'mine': 0.5}, 'must be a Sequence, got float'),
        ({'mine': ['good']}, "must be a number, got 'good'"),
        ({3: [0.5]}, "names of 'histories'' must be a str"),
    ],
)
def test_what_is_no_history_is_refused(histories, message):
    with pytest.raises(TypeError, match=message):
        plot_convergence(histories)


def test_a_fit_without_its_best_epoch_is_refused():
    with pytest.raises(ValueError, match='at least one epoch per run'):
        plot_convergence({'mine': Fit(5, 0.5, 1.0, [{'val_acc': 0.5}])})


def test_scores_that_are_no_accuracies_are_refused():
    run = Fit(0, 0.5, 1.0, [{'val_r2': 0.5}], score='r2')
    with pytest.raises(ValueError, match="accuracies, got the score 'r2' of"):
        plot_convergence({'mine': run})
    assert not plt.get_fignums()
