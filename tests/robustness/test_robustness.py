import pytest

pytest.importorskip('matplotlib')

import robustness
from attacks import TITLES
from cases import Case
from curves import COLORS
from trials import by_title, trials_of


def test_each_attack_has_a_case_without_and_one_for_each_budget():
    experiment = robustness.experiment(['words', 'prbcd'], ['Cora'])
    graphs = [case.graph for case in experiment.cases]
    assert graphs == ['true', 'words_0.1', 'words_0.25', 'words_0.5'] + [
        f'prbcd_{budget}' for budget in robustness.BUDGETS
    ]
    quick = [case.graph for case in experiment.quick]
    assert quick == ['true', 'words_0.5', 'prbcd_0.25']


def test_all_attacks_and_systems_are_known():
    assert set(robustness.ATTACKS) == set(TITLES)
    known = robustness.SYSTEMS + robustness.DEEPROBUST
    assert set(known) <= set(by_title()) and set(known) == set(COLORS)
    assert set(robustness.SETTINGS) <= set(known)
    assert len(set(COLORS.values())) == len(COLORS)


def test_published_attacks_are_on_their_own_data_only():
    experiment = robustness.experiment(['meta', 'nettack', 'prbcd'])
    for case in experiment.cases:
        theirs = case.attack in ('meta', 'nettack')
        own = case.dataset == 'Pro-GNN Citeseer'
        assert own == theirs or case.graph == 'true'
    assert Case('Pro-GNN Citeseer', 'nettack_0', 'public') in experiment.quick
    assert not robustness.experiment(['meta'], ['Cora']).cases


def test_no_system_has_fewer_settings_than_ours():
    experiment = robustness.experiment(['meta'])
    known = robustness.SYSTEMS + robustness.DEEPROBUST
    trials = trials_of(experiment, known, quick=True, runs=1)
    count = {name: 0 for name in known}
    for trial in trials:
        count[trial.system] += trial.case == trials[0].case
    for name in robustness.SYSTEMS[:4]:
        assert count.pop(name) == 1  # nothing to choose
    assert count.pop('GCN-Jaccard') == count.pop('GCN-SVD') == 3
    assert set(count.values()) <= {1, 2, 3}


def test_systems_of_all_pairs_are_not_for_pubmed():
    experiment = robustness.experiment(['prbcd'])
    trials = trials_of(experiment, ('SimPGCN', 'GCN'), quick=True, runs=1)
    data = {
        name: {t.case.dataset for t in trials if t.system == name}
        for name in ('SimPGCN', 'GCN')
    }
    assert data['GCN'] - data['SimPGCN'] == {'PubMed'}
