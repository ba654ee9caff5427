import json

import pytest

pytest.importorskip('matplotlib')

from cases import Case
from experiment import Experiment
from experiments import EXPERIMENTS
from trials import Trial, by_title, name_of, points, read, run, trials_of

CASE = Case('CiteSeer', 'true')


def short(seed=0, lr=0.01):
    settings = {'lr': lr, 'weight_decay': 5e-4, 'epochs': 2}
    return Trial(CASE, seed, 'GCN', tuple(settings.items()))


def test_a_trial_is_one_line(citeseer):
    row = short().train()
    assert row['dataset'] == 'CiteSeer' and row['settings']['epochs'] == 2
    assert len(row['classes']) == 3327 and set(row['classes']) <= set('012345')
    assert abs(row['history'][row['epoch']] - row['val_acc']) < 1e-4
    assert 'test_acc' not in row  # looked up for the chosen setting only
    assert 0 <= row['test_ece'] <= 1 and 0 <= row['scaled_ece'] <= 1
    assert row['scaled_nll'] > 0 and row['temperature'] > 0
    assert 'posterior_auc' not in row  # no graph was learned
    assert json.loads(json.dumps(row)) == row
    again = short().train()
    assert again['classes'] == row['classes']


def test_a_system_sees_no_test_label(citeseer, monkeypatch):
    row = short().train()
    load = Case.load

    def shuffled(case, run, **graph):
        data = load(case, run, **graph)
        test = data.test_mask
        data.y[test] = data.y[test].roll(1)
        return data

    monkeypatch.setattr(Case, 'load', shuffled)
    other = short().train()
    assert other['test_nll'] != row['test_nll']
    scores = {'test_nll', 'test_ece', 'scaled_nll', 'scaled_ece', 'seconds'}
    for name in row.keys() - scores:
        assert other[name] == row[name]


def test_a_learned_graph_has_scores():
    pytest.importorskip('sklearn')
    settings = {'rho1': 0.5, 'evidence': 2.0, 'epochs': 5}
    case = Case('Wine', 'knn', 'public')
    trial = Trial(case, 3, 'Recipe: learned', tuple(settings.items()))
    row = trial.train()
    assert json.loads(json.dumps(row)) == row
    for name in ('auc', 'ap'):
        assert 0.5 < row[f'prior_{name}'] < row[f'posterior_{name}'] <= 1


def test_a_run_resumes_where_it_stopped(citeseer, tmp_path):
    path = tmp_path / 'trials.jsonl'
    run([short(0)], path, workers=1)
    (first,) = read(path).values()
    path.write_text(path.read_text() + '{"dataset": "Cite')  # killed
    run([short(0), short(1), short(1)], path, workers=1)
    both = read(path)
    assert len(both) == 2 and both[name_of(short(0).key)] == first
    before = path.read_text()
    run([short(0), short(1)], path, workers=1)
    assert path.read_text() == before


def test_a_failing_trial_ends_the_run(citeseer, tmp_path):
    path = tmp_path / 'trials.jsonl'
    with pytest.raises(ValueError, match="'lr' must be positive"):
        run([short(0, lr=-1.0), short(1), short(2)], path, workers=1)
    assert len(read(path)) < 2


def test_the_grid_combines_graph_and_system():
    assert points({}) == [()]
    assert points({'a': [1, 2], 'b': [3]}) == [
        (('a', 1), ('b', 3)),
        (('a', 2), ('b', 3)),
    ]
    full = trials_of(EXPERIMENTS['no-graph'], ['GCN'], quick=False, runs=1)
    grid = by_title()['GCN'].grid
    sizes = [len(values) for values in grid.values()]
    assert len(full) == 2 * 4 * sizes[0] * sizes[1]
    quick = trials_of(EXPERIMENTS['no-graph'], ['GCN'], quick=True, runs=1)
    system = by_title()['GCN']
    settings = [dict(trial.settings) for trial in quick]
    assert settings == [system.quick, *system.also]


def test_all_graphs_with_quick_settings():
    experiment = EXPERIMENTS['adversarial']
    few = trials_of(experiment, ['GCN'], quick=True, runs=1)
    many = trials_of(experiment, ['GCN'], True, 1, all_graphs=True)
    assert set(few) < set(many)
    assert {trial.case for trial in few} == set(experiment.quick)
    assert {trial.case for trial in many} == set(experiment.cases)


def test_runs_are_numbered_from_the_first():
    experiment = EXPERIMENTS['no-graph']
    some = trials_of(experiment, ['VGCN'], quick=True, runs=3, first=100)
    assert {trial.run for trial in some} == {100, 101, 102}


def test_quick_varies_what_the_experiment_varies():
    experiment = EXPERIMENTS['beta']
    (name,) = experiment.systems
    trials = trials_of(experiment, [name], quick=True, runs=1)
    first = [t for t in trials if t.case == trials[0].case]
    system = by_title()[name]
    assert [dict(trial.settings) for trial in first] == [
        {**settings, 'beta': beta}
        for settings in (system.quick, *system.also)
        for beta in experiment.vary['beta']
    ]
    full = trials_of(experiment, [name], quick=False, runs=1)
    betas = {dict(trial.settings)['beta'] for trial in full}
    assert betas == set(experiment.vary['beta'])


def test_one_prior_for_each_graph_and_share_of_labels():
    experiment = EXPERIMENTS['label-share']
    for quick in (True, False):
        trials = trials_of(experiment, experiment.systems, quick, runs=1)
        priors = {}
        for trial in trials:
            place = trial.case.graph, trial.system
            settings = dict(trial.settings)
            pair = settings['rho1'], settings['evidence']
            priors.setdefault(place, set()).add(pair)
        if not quick:
            assert priors.pop(('knn', 'Recipe: learned')) == {(0.1, 2.0)}
            assert priors.pop(('knn', 'Recipe: frozen')) == {(0.1, 2.0)}
        assert priors.pop(('add_5000', 'Recipe: learned')) == {(0.5, 4.0)}
        assert priors.pop(('add_5000', 'Recipe: frozen')) == {(0.5, 4.0)}
        assert set(map(frozenset, priors.values())) == {
            frozenset([(0.5, 0.0)])
        }
    assert trials_of(experiment, ['GCN'], quick=True, runs=1)


def test_controls_that_need_features_are_left_out():
    experiment = EXPERIMENTS['learning-more']
    trials = trials_of(experiment, experiment.systems, quick=True, runs=1)
    without = {t.case.dataset for t in trials if t.system == 'Recipe: MLP'}
    every = {case.dataset for case in experiment.cases}
    assert every - without == {'Polblogs'}


def trust_of(name):
    r"""How far an experiment trusts each graph, for each system."""
    experiment = EXPERIMENTS[name]
    trust = {}
    for trial in trials_of(experiment, experiment.systems, True, runs=1):
        place = trial.case.graph, trial.system
        trust.setdefault(place, set()).add(dict(trial.settings).get('rho1'))
    return trust


def test_one_setting_for_all_graphs():
    priors = trust_of('learning')
    for graph in ('knn', 'add_5000'):
        for name in ('learned', 'frozen', 'prior mean', 'DropEdge'):
            assert priors[graph, f'Recipe: {name}'] == {0.1}
        for name in ('learned', 'frozen'):
            for trust in (0.5, 0.99):
                system = f'Recipe: {name}, trust {trust:g}'
                assert priors[graph, system] == {trust}
        assert priors[graph, 'Recipe: given graph'] == {1 - 1e-6}


def test_priors_suit_the_graph():
    priors = trust_of('learning-more')
    for system in ('Recipe: learned', 'Recipe: frozen'):
        assert priors['knn', system] == {0.1, 0.99}
        assert priors['true', system] == {0.5, 0.99}


def test_each_experiment_names_existing_systems():
    for experiment in EXPERIMENTS.values():
        assert set(experiment.systems) <= set(by_title())
        assert set(experiment.quick) <= set(experiment.cases)


def test_quick_settings_are_arguments_of_train():
    for system in by_title().values():
        names = system.train.__code__.co_varnames
        if 'settings' not in names:  # passed on
            for settings in (system.grid, system.quick, *system.also):
                assert set(settings) <= set(names)


def test_settings_of_an_experiment_replace_the_quick_ones():
    experiment = Experiment(
        'Title', (CASE,), ('GCN',), settings={'GCN': ({'lr': 1.0},)}
    )
    (trial,) = trials_of(experiment, ['GCN'], quick=True, runs=1)
    assert dict(trial.settings) == {'lr': 1.0}
    full = trials_of(experiment, ['GCN'], quick=False, runs=1)
    assert all(dict(trial.settings)['lr'] < 1 for trial in full)
