import pytest

pytest.importorskip('matplotlib')

from cases import Case
from lead import what_breaks_it

OURS = 'Recipe: fitted prior'


def accuracies(attack, ours, theirs, budgets=(0.05, 0.25), split='half'):
    graphs = ['true'] + [f'{attack}_{budget}' for budget in budgets]
    if attack == 'nettack':
        graphs[0] = 'nettack_0'
    return {
        Case('Cora', graph, split): {OURS: [a], 'GCN': [b]}
        for graph, a, b in zip(graphs, ours, theirs, strict=True)
    }


def test_an_attack_breaks_it_at_the_first_budget_below_the_limit(page):
    accs = accuracies('prbcd', (82, 74.9, 70), (80, 72, 60))
    text = what_breaks_it(page(accs))
    assert '1 of 1 do' in text
    assert (
        '- **Cora, PRBCD** breaks it at 5 %: at 25 % VGCN loses 12.0 points '
        '(from 82.0 to 70.0), GCN 20.0 (to 60.0).\n' in text
    )
    assert '**What to do.**' in text


def test_the_cautious_system_stands_beside(page):
    accs = accuracies('prbcd', (82, 74.9, 70), (80, 72, 60))
    for acc, found in zip((81, 80, 79), accs.values(), strict=True):
        found['Recipe: cautious prior'] = [acc]
    text = what_breaks_it(page(accs))
    assert 'GCN 20.0 (to 60.0), VGCN cautious 2.0 (to 79.0).' in text


def test_an_attack_within_the_limit_does_not_break_it(page):
    accs = accuracies('nettack', (82, 80, 75), (80, 70, 50), (1, 5))
    text = what_breaks_it(page(accs))
    assert '0 of 1 do' in text
    assert "- Cora, Nettack doesn't break it: at 5 VGCN loses 7.0" in text


def test_the_largest_loss_comes_first(page):
    accs = accuracies('similar', (82, 81, 80), (80, 79, 78))
    accs |= accuracies('neighbors', (82, 70, 60), (80, 79, 78))
    text = what_breaks_it(page(accs))
    lines = [line for line in text.splitlines() if line.startswith('- ')]
    assert lines[-2].startswith('- **Cora, common neighbours** breaks')
    assert lines[-1].startswith("- Cora, similar features doesn't")


def test_below_the_limit_without_any_attack(page):
    accs = accuracies('prbcd', (70, 70, 70), (80, 79, 78))
    assert 'below the limit without any change' in what_breaks_it(page(accs))


@pytest.mark.parametrize('graph', ['true', 'prbcd_0.25'])
def test_without_clean_and_attacked_results_nothing_is_said(page, graph):
    accs = {Case('Cora', graph): {OURS: [80], 'GCN': [80]}}
    assert 'not known yet' in what_breaks_it(page(accs))
