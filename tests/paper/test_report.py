import json
from functools import partial

import pytest

pytest.importorskip('matplotlib')

import parts
import report
from cases import Case
from experiment import Experiment

CASE = Case('CiteSeer', 'true')


@pytest.fixture
def trials(citeseer):
    r"""Three runs of two systems, one of which has two settings: the
    predictions of the one with the better validation accuracy are all wrong.
    """
    truth = ''.join(map(str, citeseer.y.tolist()))
    wrong = ''.join(str((int(digit) + 1) % 6) for digit in truth)
    out = []
    for run in (0, 1, 2):
        for system, lr, val_acc, classes in (
            ('A', 0.1, 0.9, wrong),
            ('A', 0.2, 0.8, truth),
            ('B', 0.1, 0.7, truth),
        ):
            out.append(
                {
                    'dataset': 'CiteSeer',
                    'graph': 'true',
                    'split': 'half',
                    'run': run,
                    'system': system,
                    'settings': {'lr': lr, 'beta': lr},
                    'val_acc': val_acc,
                    'epoch': 0,
                    'seconds': 1.0,
                    'history': [val_acc],
                    'classes': classes,
                }
            )
    return out


def test_settings_are_chosen_by_validation_accuracy_only(trials):
    rows = report.select(trials)
    found = {(row['system'], row['run']): row for row in rows}
    assert len(found) == len(rows) == 6
    assert found['A', 0]['test_acc'] == 0 and found['A', 0]['tried'] == 2
    assert found['A', 0]['settings']['lr'] == 0.1
    assert found['B', 1]['test_acc'] == 1


def test_page(trials, tmp_path):
    experiment = Experiment('Title', (CASE,), ('A', 'B', 'absent'))
    text = report.write('name', experiment, trials, tmp_path, 'command')
    assert text + '\n' == (tmp_path / 'name.md').read_text()
    assert '| A | 0.0 ± 0.0 |' in text
    assert '| B | **100.0 ± 0.0** |' in text
    assert 'absent' not in text and '`command`' in text
    lines = (tmp_path / 'name.jsonl').read_text().splitlines()
    assert [json.loads(line)['test_acc'] for line in lines] == [0, 1] * 3
    assert (tmp_path / 'name.png').stat().st_size > 1000


def test_nothing_is_bold_within_noise(trials, tmp_path):
    experiment = Experiment('Title', (CASE,), ('A', 'B', 'C'))

    def text(rows):
        return report.write('name', experiment, rows, tmp_path, 'command')

    assert '**' not in text([r for r in trials if r['run'] < 2])
    # One that is as good as the best in two of three runs:
    other = [{**r, 'system': 'C'} for r in trials if r['system'] == 'B']
    other[0] = {**other[0], 'classes': trials[0]['classes']}
    assert '**' not in text(trials + other)
    assert '| B | **100.0 ± 0.0** |' in text(trials)


def test_runs_are_counted_by_their_numbers(trials, tmp_path):
    experiment = Experiment('Title', (CASE,), ('A', 'B'))
    rows = [{**row, 'run': row['run'] + 100} for row in trials]
    text = report.write('name', experiment, rows, tmp_path, 'command')
    assert 'mean ± standard deviation of 3 runs' in text


def test_one_run_has_no_standard_deviation(trials, tmp_path):
    experiment = Experiment('Title', (CASE,), ('A', 'B'))
    text = report.write('name', experiment, trials[:3], tmp_path, 'command')
    assert 'Test accuracy, one run' in text
    assert '| B | 100.0 |' in text  # nor an interval


def test_shares_of_the_chosen_betas(trials, tmp_path):
    betas = partial(parts.choices, name='beta', values=(0.3, 0.2, 0.1))
    experiment = Experiment('T', (CASE,), ('A',), parts=(betas,))
    mine = [row for row in trials if row['system'] == 'A']
    text = report.write('name', experiment, mine, tmp_path, 'command')
    assert '| 0.1 | 100% |\n| 0.2 | 0% |\n| 0.3 | 0% |' in text
    assert 'of 3 choices' in text
    assert '| A | 0.0 ± 0.0 |' in text  # a single system isn't bold
    mine[1]['val_acc'] = mine[0]['val_acc']  # in the first run
    text = report.write('name', experiment, mine, tmp_path, 'command')
    assert '| 0.1 | 83% |\n| 0.2 | 17% |\n| 0.3 | 0% |' in text
    assert (tmp_path / 'name.png').stat().st_size > 1000


def test_the_chosen_settings(trials, tmp_path):
    mine = [row for row in trials if row['system'] == 'A']
    part = partial(parts.chosen, names=('beta',))
    experiment = Experiment('T', (CASE,), ('A',), parts=(part,))
    text = report.write('name', experiment, mine, tmp_path, 'command')
    row = mine[0]
    acc = 100 * max(r['val_acc'] for r in mine if r['run'] == row['run'])
    tried = sum(r['run'] == row['run'] for r in mine)
    assert f'| {CASE} | {row["run"]} | 0.1 | {acc:.1f} | {tried} |' in text


def test_seconds_of_the_chosen_settings(trials, tmp_path):
    experiment = Experiment('T', (CASE,), ('A', 'B'), parts=(parts.seconds,))
    trials[0]['seconds'] = 7.0  # A's first run; the others take 1 s
    text = report.write('name', experiment, trials, tmp_path, 'command')
    assert '| A | 3 |' in text and '| B | 1 |' in text


def test_convergence_records_each_epoch(trials, tmp_path):
    experiment = Experiment(
        'T', (CASE,), ('A', 'B'), parts=(parts.convergence,)
    )
    text = report.write('name', experiment, trials, tmp_path, 'command')
    assert '(name-convergence.png)' in text
    curves = json.loads((tmp_path / 'name-convergence.json').read_text())
    assert curves == {'A': [[0.9]] * 3, 'B': [[0.7]] * 3}


def test_one_table_per_data_set_with_several_graphs(trials, tmp_path):
    graphs = ('true', 'add_500', 'add_1000', 'add_2000', 'add_5000')
    rows = [{**row, 'graph': graph} for row in trials[:3] for graph in graphs]
    cases = tuple(Case('CiteSeer', graph) for graph in graphs)
    experiment = Experiment('T', cases, ('A', 'B'))
    text = report.write('name', experiment, rows, tmp_path, 'command')
    head = '| system | true graph | +500 | +1000 | +2000 | +5000 |'
    assert '**CiteSeer**' in text and head in text
