import pytest

pytest.importorskip('matplotlib')

from attacks import TITLES
from cases import Case
from tables import ATTACKERS, attackers, by_attack, detection

OURS = 'Recipe: fitted prior'


def test_a_table_and_a_figure_for_each_attack(page, tmp_path):
    made = page(
        {
            Case('Cora', 'true'): {OURS: [80, 81, 82], 'GCN': [80, 82, 81]},
            Case('Cora', 'words_0.5'): {OURS: [70], 'GCN': [60]},
            Case('Cora', 'prbcd_0.25'): {OURS: [75, 76, 77], 'MLP': [70]},
            Case('Cora', 'prbcd_0.05'): {
                OURS: [79, 80, 81],
                'GCN': [70, 71, 72],
            },
        }
    )
    text = by_attack(made)
    assert text.index('## Cora, replaced words') < text.index('Cora, PRBCD')
    assert '| budget, % of the words | 0 % | 50 % |' in text
    assert '| VGCN | 81.0 ± 1.0 | **80.0 ± 1.0** | 76.0 ± 1.0 |' in text
    assert '| GCN | 81.0 ± 1.0 | 71.0 ± 1.0 |  |' in text
    assert '| budget, % of the edges | 0 % | 5 % | 25 % |' in text
    for name in ('replaced-words', 'prbcd'):
        assert f'(robustness-cora-{name}.png)' in text
        path = tmp_path / f'robustness-cora-{name}.png'
        assert path.stat().st_size > 1000
    assert 'Published' not in text


def test_published_figures_are_beside_those_on_the_same_graphs(page):
    name = 'Pro-GNN Citeseer'
    made = page(
        {
            Case(name, 'true', 'public'): {'GCN': [70]},
            Case(name, 'meta_0.2', 'public'): {'GCN': [60]},
            Case(name, 'nettack_0', 'public'): {'GCN': [80]},
            Case(name, 'nettack_5', 'public'): {'GCN': [50]},
        }
    )
    text = by_attack(made)
    assert '| GCN | 70.0 | 60.0 |' in text and '| GCN | 80.0 | 50.0 |' in text
    assert '| changes per attacked node | 0 | 5 |' in text
    assert text.count('Published') == 1
    assert '20 % / 25 %: Pro-GNN 70.0 / 69.0;' in text
    assert 'VDERG 73.4 / –.' in text
    assert 'Accuracy on the attacked nodes alone.' in text


def test_detection_is_that_of_attacks_that_add_edges(page):
    scores = {
        'prior_auc': 0.5,
        'posterior_auc': 0.75,
        'prior_false_ap': 0.2,
        'posterior_false_ap': 0.4,
    }
    cases = [Case('Cora', g) for g in ('true', 'similar_0.1', 'words_0.1')]
    accs = {case: {OURS: [80], 'GCN': [80]} for case in cases}
    text = detection(page(accs, **scores))
    lines = text.splitlines()[-2:]
    assert lines[0].startswith('| --- |')
    assert lines[1] == (
        '| Cora, similar features | 10 % | 0.500 | 0.750 | +0.250 | 0.200 '
        '| 0.400 | +0.200 |'
    )


def test_the_attacks_of_the_page_are_explained(page):
    assert set(ATTACKERS) == set(TITLES)
    made = page({Case('Cora', 'words_0.1'): {OURS: [80]}})
    text = attackers(made)
    assert 'ShuffleWords' in text and 'PRBCD' not in text
