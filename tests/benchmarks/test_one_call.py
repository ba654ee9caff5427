import json
from pathlib import Path

import pytest

from benchmarks.one_call.page import parts
from benchmarks.paper.cases import Case
from benchmarks.paper.data_sets import DATASETS

RESULTS = Path(__file__).parents[2] / 'docs' / 'results'
SYSTEMS = ('one call', 'MLP', 'GCN', 'LogisticRegression')
TRUE, ADDED = Case('Cora', 'true'), Case('Cora', 'add_5000')


def test_graphs_and_tables_are_one_page(benchmark, tmp_path):
    try:
        DATASETS['Texas'].load()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    args = ('--quick', '--first', 100, '--runs', 1)
    args += ('--only', 'Texas', 'Wine', '--systems', *SYSTEMS)
    result = benchmark('one_call', *args)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / 'one-call-quick.md').read_text()
    assert page in result.stdout
    assert '| data, labels | runs | one call | MLP | GCN |' in page
    assert '| data, labels | runs | one call | LogisticRegression |' in page
    rows = [*map(json.loads, (tmp_path / 'one-call-quick.jsonl').open())]
    assert [(row['row'].split(',')[0], row['system']) for row in rows] == [
        *(('Texas', name) for name in SYSTEMS[:3]),
        *(('Wine', name) for name in ('one call', 'LogisticRegression')),
    ]
    assert list(rows[0]) == [
        'row', 'run', 'system', 'test_acc', 'test_nll', 'test_ece', 'seconds'
    ]  # fmt: skip
    # What benchmarks/tables has trained isn't trained again:
    key = {'dataset': 'Wine', 'run': 100, 'system': 'LogisticRegression'}
    lines = map(json.loads, (RESULTS / 'tables.jsonl').open())
    (line,) = (row for row in lines if key.items() <= row.items())
    assert rows[-1]['test_acc'] == line['test_acc']


def page_of(accuracies):
    scores = {'test_nll': 0.5, 'test_ece': 0.04, 'seconds': 20.0}
    rows = [
        {'row': str(case), 'run': run, 'system': system,
         'test_acc': acc / 100, **scores}
        for case, systems in accuracies.items()
        for system, accs in systems.items()
        for run, acc in enumerate(accs)
    ]  # fmt: skip
    systems = dict.fromkeys(row['system'] for row in rows)
    return parts(rows, {'Graphs': ([TRUE, ADDED], systems)}, 'here')


@pytest.mark.parametrize(
    'added, counts, worst',
    [
        ([79.6, 79.9, 79.9], '1 in 2', '-0.2 [-0.6, +0.2] points'),
        ([77.8, 78.1, 78.0], '1 in 1', '**-2.0 [-2.4, -1.7]** points'),
        ([81.0, 81.1, 80.9], '2 in 2', '**+1.0 [+0.8, +1.2]** points'),
    ],
)
def test_the_page_begins_with_a_verdict(added, counts, worst):
    page = page_of(
        {
            TRUE: {
                'one call': [88, 88.1, 87.9],
                'GCN': [84, 84.1, 84.2],
            },
            ADDED: {'one call': added, 'GCN': [80, 80.0, 80.0]},
        }
    )
    above, near = counts.split(' in ')
    assert f'above all other systems in {above} of 2 rows**' in page[1]
    assert f'and in {near} at most 0.5 points below' in page[1]
    assert f'{worst} (Cora, ' in page[1]
    row = '| Cora, true graph | GCN | **+3.9 [+3.5, +4.3]** | 0.500 | 0.500 '
    assert any(row + '| 4.0 | 20 |' in part for part in page)


def test_other_systems_make_a_page_without_the_one_call():
    page = page_of({TRUE: {'MLP': [70], 'GCN': [84]}})
    assert 'not been trained yet' in page[1]
    assert '| Cora, true graph | 1 | 70.0 | 84.0 |' in page[4]
