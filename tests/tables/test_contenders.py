import functools

import numpy as np
import pytest
import scipy.sparse
from contenders import CONTENDERS
from contenders.base import LEAST, accuracy, nll
from contenders.label_spreading import nearest
from contenders.self_training import SelfTraining
from contenders.tuned import Tuned, text
from problem import Problem
from sklearn import linear_model, semi_supervised
from table import Table

from torch_geometric_vgcn.estimators import VGCNClassifier


@pytest.fixture
def words():
    r"""A sparse problem: rows of norm one."""
    rng = np.random.RandomState(0)
    y = np.arange(80) % 2
    x = rng.poisson(0.2 + 0.8 * np.eye(2)[y].repeat(100, axis=1))
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    table = Table(scipy.sparse.csr_matrix(x), y)
    return Problem.of(table, np.arange(80) < 10)


@pytest.mark.parametrize('title', CONTENDERS)
@pytest.mark.parametrize('kind', ['problem', 'words'])
def test_solves_problems(title, kind, request, monkeypatch):
    short = functools.partial(VGCNClassifier, max_iter=4)
    monkeypatch.setattr('contenders.vgcn.VGCNClassifier', short)
    problem = request.getfixturevalue(kind)
    contender = CONTENDERS[title]
    outcome = contender.solve(problem, seed=3)
    truth = problem.table.y[problem.hidden]
    num_classes = problem.table.y.max() + 1
    assert outcome.prob.shape == (truth.size, num_classes)
    assert np.allclose(outcome.prob.sum(axis=1), 1)
    # Trees can't do much with so few labels:
    weak = ('HistGradientBoosting', 'VGCN', 'VGCN frozen')
    floor = 0.3 if title in weak else 0.7
    assert accuracy(outcome.prob, truth) > floor
    tried = [row['setting'] for row in outcome.tried]
    assert any(outcome.choice.startswith(setting) for setting in tried)
    assert contender.about
    # It doesn't look at the other labels:
    problem.table.y = np.where(problem.y < 0, 0, problem.y)
    again = contender.solve(problem, seed=3)
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
    assert nearest(problem, 5).sum() == 5 * 60


def test_words_that_no_labelled_row_has_do_not_matter(words):
    x = words.table.x.toarray()
    x[:10, :20] = 0
    words.table.x = scipy.sparse.csr_matrix(x)
    model = linear_model.LogisticRegression(C=1.0).fit(x[:10], words.y[:10])
    got = CONTENDERS['LogisticRegression'].prob(
        words, words.y, words.hidden, {'C': 1.0}, seed=0
    )
    assert np.allclose(got, model.predict_proba(x[10:]), atol=1e-3)


def test_boosting_is_tuned_by_its_stages(problem):
    contender = CONTENDERS['HistGradientBoosting']
    y, rows = problem.y, problem.hidden
    staged = list(contender.each(problem, y, rows, seed=0))
    assert len(staged) == len(contender.settings)
    for prob, setting in zip(staged, contender.settings, strict=True):
        alone = contender.prob(problem, y, rows, setting, seed=0)
        assert np.allclose(prob, alone), text(setting)


def test_large_tables_are_tuned_before_self_training(problem, monkeypatch):
    contender = SelfTraining()
    y, rows = problem.y, problem.hidden
    trained = list(contender.each(problem, y, rows, seed=0))
    monkeypatch.setattr('contenders.self_training.MANY', 10)
    before = list(contender.each(problem, y, rows, seed=0))
    linear = CONTENDERS['LogisticRegression']
    for prob, other in zip(
        before, linear.each(problem, y, rows, seed=0), strict=True
    ):
        assert np.array_equal(prob, other)
    assert not np.allclose(trained, before)


def test_impossible_classes_have_a_finite_likelihood():
    prob = np.array([[1.0, 0.0], [0.0, 0.0]])
    got = nll(prob, np.array([1, 1]))
    least = -np.log(LEAST / (1 + LEAST))
    assert got == pytest.approx((least + np.log(2)) / 2)


def test_what_splits_share_is_paid_by_each(problem):
    second = Problem(problem.table, problem.y)
    for _ in range(2):
        assert problem.once('slow', lambda: sum(range(10**6))) > 0
        assert second.once('slow', lambda: 0) > 0
    assert problem.shared == {} and second.shared['slow'] > 0
