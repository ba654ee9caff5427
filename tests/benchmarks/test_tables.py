import functools
import json

import numpy as np
import pytest
import scipy.sparse
from sklearn import semi_supervised

from benchmarks.harness.results import Results
from benchmarks.tables import contenders, data, page
from benchmarks.tables.contenders import CONTENDERS
from benchmarks.tables.data import Cell, Problem, available, cells
from benchmarks.tables.sources import SOURCES, Table, installed, read_keel
from benchmarks.tables.tuned import LEAST, Tuned, accuracy, nll, text
from torch_geometric_vgcn.estimators import VGCNClassifier


@pytest.fixture
def problem():
    r"""Three blobs of 20 rows, with columns of different units, and the
    labels of every third row.
    """
    rng = np.random.RandomState(0)
    y = np.arange(60) % 3
    x = rng.randn(60, 4) + 2 * np.eye(3, 4)[y]
    known = np.arange(60) // 3 % 3 == 0
    table = Table(x * [1, 10, 100, 1000], y, units=True)
    return Problem(table, np.where(known, y, -1))


@pytest.fixture
def words():
    r"""A sparse problem: rows of norm one."""
    rng = np.random.RandomState(0)
    y = np.arange(80) % 2
    x = rng.poisson(0.2 + 0.8 * np.eye(2)[y].repeat(100, axis=1))
    x = scipy.sparse.csr_matrix(x / np.linalg.norm(x, axis=1, keepdims=True))
    return Problem(Table(x, y), np.where(np.arange(80) < 10, y, -1))


@pytest.mark.parametrize('title', CONTENDERS)
@pytest.mark.parametrize('kind', ['problem', 'words'])
def test_solves_problems(title, kind, request, monkeypatch):
    short = functools.partial(VGCNClassifier, max_iter=4)
    monkeypatch.setattr(contenders, 'VGCNClassifier', short)
    problem = request.getfixturevalue(kind)
    outcome = CONTENDERS[title].solve(problem, seed=3)
    truth = problem.table.y[problem.hidden]
    assert outcome.prob.shape == (truth.size, problem.table.y.max() + 1)
    assert np.allclose(outcome.prob.sum(axis=1), 1)
    # Trees can't do much with so few labels:
    weak = ('HistGradientBoosting', 'VGCN', 'VGCN frozen')
    floor = 0.3 if title in weak else 0.7
    assert accuracy(outcome.prob, truth) > floor
    assert CONTENDERS[title].about
    # It doesn't look at the other labels:
    problem.table.y = np.where(problem.y < 0, 0, problem.y)
    again = CONTENDERS[title].solve(problem, seed=3)
    assert np.array_equal(again.prob, outcome.prob)


def test_the_best_setting_is_chosen(problem):
    class Guess(Tuned):
        title, what = 'Guess', 'A guess'
        settings = tuple({'right': p} for p in (0.1, 0.9, 0.95, 0.5))

        def prob(self, problem, y, rows, setting, seed):
            assert (y[rows] == -1).all()
            assert set(y[y >= 0]) == {0, 1, 2}
            hit = np.eye(3)[problem.table.y[rows]]
            return setting['right'] * hit + (1 - setting['right']) / 3

    outcome = Guess().solve(problem, seed=0)
    # All four are always right but the likelihood is better:
    assert outcome.choice == 'right=0.95'
    assert [row['accuracy'] for row in outcome.tried] == [1.0] * 4
    assert outcome.tried[1]['nll'] == pytest.approx(-np.log(0.9 + 0.1 / 3))


def test_the_graph_of_label_spreading_is_that_of_scikit_learn(problem):
    contender = CONTENDERS['LabelSpreading']
    for setting in contender.settings:
        model = semi_supervised.LabelSpreading(
            kernel='knn', max_iter=100, **setting
        ).fit(problem.features, problem.y)
        every = np.arange(60)
        got = contender.prob(problem, problem.y, every, setting, seed=0)
        assert np.allclose(got, model.label_distributions_)


def test_boosting_is_tuned_by_its_stages(problem):
    contender = CONTENDERS['HistGradientBoosting']
    y, rows = problem.y, problem.hidden
    staged = list(contender.each(problem, y, rows, seed=0))
    for prob, setting in zip(staged, contender.settings, strict=True):
        alone = contender.prob(problem, y, rows, setting, seed=0)
        assert np.allclose(prob, alone), text(setting)


def test_impossible_classes_have_a_finite_likelihood():
    prob = np.array([[1.0, 0.0], [0.0, 0.0]])
    least = -np.log(LEAST / (1 + LEAST))
    got = nll(prob, np.array([1, 1]))
    assert got == pytest.approx((least + np.log(2)) / 2)


def test_known_labels():
    first, again, other = (
        Cell('Digits').problem(run).y for run in (100, 100, 101)
    )
    assert (first >= 0).sum() == 150 and np.array_equal(first, again)
    assert not np.array_equal(first, other)
    y = np.repeat(np.arange(3), (1000, 90, 4))
    known = SOURCES['FARS'].known(y, 0.01, seed=0)
    assert np.bincount(y[known]).tolist() == [10, 1, 1]
    assert len(set(cells([*SOURCES]))) == 15
    assert str(Cell('FARS', 0.05)) == 'FARS, 5 %'
    assert str(Cell('Wine')) == 'Wine, 30 labels'


@pytest.mark.parametrize(
    'title, shape',
    [('letter', (20000, 16)), ('penbased', (10992, 16))],
)
def test_data_of_other_packages(title, shape):
    try:
        table = SOURCES[title].load()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert table.x.shape == shape and table.units


def test_keel_files(tmp_path):
    path = tmp_path / 'some.dat'
    path.write_text(
        '@relation some\n@attribute size real [0,1]\n'
        '@attribute kind {a,b}\n@data\n0.5, a\n1,b\n\n'
    )
    names, rows = read_keel(path)
    assert names == ['size', 'kind']
    assert rows.tolist() == [['0.5', 'a'], ['1', 'b']]


def test_missing_data_say_how_to_get_them(monkeypatch, capsys):
    class Missing:
        def load(self):
            return installed('no-such-package', 'data.csv')

    monkeypatch.setattr(data, 'SOURCES', {'it': Missing()})
    assert available(None) == []
    assert 'Left out: it: the package no-such' in capsys.readouterr().out
    with pytest.raises(SystemExit, match='it: .* --no-deps no-such-package'):
        available(['it'])


def test_the_verdict_counts_the_cells_in_which_it_is_good():
    accs = {
        Cell('Wine'): {
            'VGCN': [96, 97, 98, 97],
            'LogisticRegression': [90, 91, 92, 90],
            'KNeighbors': [97, 97, 97, 97.5],  # within noise
        },
        Cell('letter', 0.1): {
            'VGCN': [80, 81, 82, 80],
            'LogisticRegression': [84, 85, 85, 85],
            'KNeighbors': [88, 89, 89, 88],
        },
    }
    rows = [
        {
            **vars(cell),
            'system': system,
            'run': run,
            'test_acc': acc / 100,
            'seconds': 60.0 if system == 'VGCN' else 2.0,
        }
        for cell, systems in accs.items()
        for system, every in systems.items()
        for run, acc in enumerate(every)
    ]
    systems = ['VGCN', 'LogisticRegression', 'KNeighbors']
    found = page.verdict(Results(rows, [*accs], systems, Cell.of))
    assert 'the best or within noise of the best in 1 of 2 cells' in found
    assert 'clearly the best in 0' in found
    assert 'by more than 1 point, in the mean: letter, 10 % (**-4.0 [' in found
    assert '- letter, 10 %: KNeighbors is better by 7.8 points [' in found
    assert '30 to 30 times as long as LogisticRegression' in found
    few = [row for row in rows if row['run'] < 2]
    few = page.verdict(Results(few, [*accs], systems, Cell.of))
    assert 'not known yet' in few


def test_writes_the_page_and_its_lines(benchmark, tmp_path):
    args = ('--only', 'Wine', '--systems', 'KNeighbors', 'LogisticRegression')
    result = benchmark('tables', *args, '--runs', 2, '--first', 100)
    assert result.returncode == 0, result.stderr
    text = (tmp_path / 'tables.md').read_text()
    assert text in result.stdout
    assert '`python benchmarks/tables --first 100 --runs 2`' in text
    assert '| data, labels | runs | LogisticRegression | KNeighbors |' in text
    rows = [*map(json.loads, (tmp_path / 'tables.jsonl').open())]
    assert [row['run'] for row in rows] == [100, 100, 101, 101]
    assert all(row['test_acc'] > 0.8 for row in rows)
