import pytest
from cases import Case
from one_call_page import text

TRUE, ADDED = Case('Cora', 'true'), Case('Cora', 'add_5000')
SCORES = {'test_nll': 0.5, 'test_ece': 0.04, 'seconds': 20.0}


def page_of(accuracies):
    rows = [
        {
            'row': str(case),
            'run': run,
            'system': system,
            'test_acc': acc / 100,
            **SCORES,
        }
        for case, systems in accuracies.items()
        for system, accs in systems.items()
        for run, acc in enumerate(accs)
    ]
    systems = dict.fromkeys(row['system'] for row in rows)
    return text(rows, {'Graphs': ([TRUE, ADDED], systems)}, 'here')


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
            TRUE: {'one call': [88, 88.1, 87.9], 'MLP': [70, 70, 70],
                   'GCN': [84, 84.1, 84.2]},
            ADDED: {'one call': added, 'MLP': [70, 70, 70],
                    'GCN': [80, 80.0, 80.0]},
        }
    )  # fmt: skip
    lead = page.split('\n\n')[1]
    above, near = counts.split(' in ')
    assert f'above all other systems in {above} of 2 rows**' in lead
    assert f'and in {near} at most 0.5 points below' in lead
    assert f'{worst} (Cora, ' in lead
    row = '| Cora, true graph | GCN | **+3.9 [+3.5, +4.3]** | 0.500 | 0.500 '
    assert row + '| 4.0 | 20 |' in page


def test_other_systems_make_a_page_without_the_one_call():
    page = page_of({TRUE: {'MLP': [70], 'GCN': [84]}})
    assert 'not been trained yet' in page
    assert '| Cora, true graph | 1 | 70.0 | 84.0 |' in page
    assert 'best other system |' not in page
