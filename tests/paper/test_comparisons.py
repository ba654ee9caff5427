from pathlib import Path

import comparisons
import pytest
from cases import Case
from page import Page

CASE, OTHER = Case('Cora', 'add_5000'), Case('Cora', 'true')
OURS, CONTROL = 'Recipe: learned', 'Recipe: frozen'


def rows(case, system, **scores):
    r"""One row for each run from 100 on, from lists of scores."""
    count = len(scores['test_acc'])
    return [
        {**vars(case), 'system': system, 'run': 100 + place}
        | {name: values[place] for name, values in scores.items()}
        for place in range(count)
    ]


@pytest.fixture
def page():
    learned = rows(
        CASE,
        OURS,
        test_acc=[0.82, 0.83, 0.84],
        test_nll=[0.5, 0.9, 0.4],
        prior_auc=[0.7, 0.8, 0.75],
        posterior_auc=[0.8, 0.9, 0.85],
        prior_ap=[0.6, 0.6, 0.6],
        posterior_ap=[0.6, 0.7, 0.65],
    )
    frozen = rows(
        CASE,
        CONTROL,
        test_acc=[0.80, 0.81, 0.82],
        test_nll=[0.6, 0.6, 0.6],
        prior_auc=[0.7, 0.8, 0.75],
        posterior_auc=[0.7, 0.8, 0.75],
        prior_ap=[0.6, 0.6, 0.6],
        posterior_ap=[0.6, 0.6, 0.6],
    )
    # Results of an earlier version, without scores:
    old = rows(OTHER, OURS, test_acc=[0.9]) + rows(OTHER, 'GCN', test_acc=[1])
    titles = (OURS, CONTROL, 'GCN')
    return Page('p', Path(), (CASE, OTHER), titles, learned + frozen + old)


def test_the_verdict_names_clear_differences_only(page):
    text = comparisons.verdict(page, OURS, CONTROL)
    better = f'**{OURS} has better test accuracy than {CONTROL}** on'
    assert text.startswith(f'{better} Cora, +5000.')
    assert 'true' not in text and 'NLL' not in text  # without both scores
    text = comparisons.verdict(page, CONTROL, OURS)
    assert text.startswith(f'**{CONTROL} has worse test accuracy')
    text = comparisons.verdict(page, OURS, OURS)
    assert text.startswith('No clear difference in test accuracy on Cora')
    text = comparisons.verdict(page, OURS, 'GCN')  # of one run
    assert text.startswith('Fewer than 3 runs')


def test_paired_differences_of_all_scores(page):
    text = comparisons.paired(page, OURS, CONTROL)
    assert f'| data | {OURS} | {CONTROL} | difference |' in text
    line = '| Cora, +5000 | 83.00 | 81.00 | **+2.00 [+2.00, +2.00]** |'
    assert '**Accuracy, %**\n\n' in text and line in text
    # Its interval includes zero:
    assert '| Cora, +5000 | 0.600 | 0.600 | +0.000 [-0.657, +0.657] |' in text
    # What nobody has recorded isn't shown:
    assert 'ECE' not in text and 'true graph' not in text


def test_recovery_of_those_who_learn_a_graph(page):
    lines = comparisons.recovery(page).splitlines()[4:]
    auc = '0.750 | 0.850 | **+0.100 [+0.100, +0.100]**'
    ap = '0.600 | 0.650 | +0.050 [-0.074, +0.174]'
    assert lines == [f'| Cora, +5000 | {OURS} | {auc} | {ap} |']


def test_differences_to_each_control(page):
    lines = comparisons.against_controls(page).splitlines()[2:]
    assert lines[0] == '| data | learned | frozen |'
    control = '81.0 ± 1.0<br>**+2.00 [+2.00, +2.00]**'
    assert lines[2] == f'| Cora, +5000 | 83.0 ± 1.0 | {control} |'
    assert lines[3] == '| Cora, true graph | 90.0 |  |'


def test_a_system_is_compared_with_the_better_one_of_others(page):
    text = comparisons.below_best(page, [OURS], [CONTROL, 'GCN'])
    lines = [line for line in text.splitlines() if line.startswith('| Cora')]
    assert lines[0].startswith(f'| Cora, +5000 | {OURS} | {CONTROL} | **+2.00')
    assert lines[1].startswith(f'| Cora, true graph | {OURS} | GCN | -10.00')
    assert len(lines) == 2


def test_the_number_of_runs_in_words(page):
    assert page.num_runs() == '1 to 3 runs'
    assert page.num_runs([CASE]) == '3 runs'
    assert page.num_runs([OTHER]) == 'one run'
