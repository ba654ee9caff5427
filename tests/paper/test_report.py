import json

import pytest

pytest.importorskip('matplotlib')

import report
from cases import Case
from experiments import Experiment

CASE = Case('CiteSeer', 'true')


@pytest.fixture
def trials(citeseer):
    r"""Two runs of two systems, of which one has two settings: that with the
    better validation accuracy is all wrong.
    """
    truth = ''.join(map(str, citeseer.y.tolist()))
    wrong = ''.join(str((int(digit) + 1) % 6) for digit in truth)
    out = []
    for run in (0, 1):
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


def test_validation_chooses_and_test_accuracy_doesnt(trials):
    rows = report.select(trials)
    found = {(row['system'], row['run']): row for row in rows}
    assert len(found) == len(rows) == 4
    assert found['A', 0]['test_acc'] == 0 and found['A', 0]['tried'] == 2
    assert found['A', 0]['settings']['lr'] == 0.1
    assert found['B', 1]['test_acc'] == 1


def test_page(trials, tmp_path):
    experiment = Experiment('Title', (CASE,), (CASE,), ('A', 'B', 'absent'))
    text = report.write('name', experiment, trials, tmp_path, 'command')
    assert '| A | 0.0 ± 0.0 |' in text
    assert '| B | **100.0 ± 0.0** |' in text
    assert 'absent' not in text and '`command`' in text
    assert '| 0.1 | 100% |' in text  # the β of A; B had no choice
    lines = (tmp_path / 'name.jsonl').read_text().splitlines()
    assert [json.loads(line)['test_acc'] for line in lines] == [0, 1, 0, 1]
    assert (tmp_path / 'name.png').stat().st_size > 1000
