import numpy as np
import pytest
import torch
from sklearn.model_selection import GridSearchCV, cross_val_score

from torch_geometric_vgcn.estimators import (
    LabelledKFold,
    VGCNRegressor,
    transductive_scores,
)


def test_rows_without_a_label_are_always_there_to_train_with(blobs):
    x, _, y = blobs
    seen = []
    for train, test in LabelledKFold(4, random_state=0).split(x, y):
        assert set(np.flatnonzero(y == -1)) <= set(train)
        assert (y[test] >= 0).all()
        assert not set(train) & set(test)
        assert train.size + test.size == y.size
        seen += test.tolist()
    assert sorted(seen) == np.flatnonzero(y >= 0).tolist()


def test_scores_are_those_of_known_labels(blobs, quick):
    r"""Folds that know nothing of unknown labels compare with -1."""
    x, _, y = blobs
    right = cross_val_score(quick, x, y, cv=LabelledKFold(3, random_state=0))
    wrong = cross_val_score(quick, x, y, cv=3)
    assert right.mean() > 0.9
    assert wrong.mean() < 0.5


def test_it_works_in_a_grid_search(blobs, quick):
    x, _, y = blobs
    search = GridSearchCV(
        quick, {'n_neighbors': [3, 8]}, cv=LabelledKFold(2, random_state=0)
    ).fit(x, y)
    assert search.best_score_ > 0.9
    assert search.best_params_['n_neighbors'] in (3, 8)


def test_transductive_scores_keep_all_rows_and_the_graph(blobs, quick):
    x, truth, y = blobs
    same = truth[:, None] == truth[None]
    edges = np.stack(np.nonzero(np.triu(same, 1)))[:, ::7]
    quick.set_params(trust=0.99)
    scores = transductive_scores(
        quick,
        x,
        y,
        torch.from_numpy(edges),
        LabelledKFold(3, random_state=0),
    )
    assert scores.shape == (3,)
    assert scores.mean() > 0.85
    assert not hasattr(quick, 'classes_')


@pytest.mark.parametrize('labels', [[0, 1, -1], [0, 1, 1, -1, -1]])
def test_too_few_labels(labels):
    folds = LabelledKFold(4).split(np.zeros((len(labels), 1)), labels)
    with pytest.raises(ValueError, match='n_splits=4 known labels'):
        next(folds)


def test_quantities():
    y = np.array([0.5, -1, 1.25, np.nan, 3, 2, np.nan, 0.75])
    folds = list(LabelledKFold(3, random_state=0).split(np.zeros((8, 1)), y))
    assert sorted(np.concatenate([test for _, test in folds])) == [
        0, 1, 2, 4, 5, 7,
    ]  # fmt: skip
    assert all({3, 6} <= set(train) for train, _ in folds)


def test_regressors_are_scored_by_r2():
    x = np.random.RandomState(0).rand(200, 1) * 6
    truth = 10 * np.sin(x[:, 0])
    y = np.where(np.arange(200) % 3 == 0, truth, np.nan)
    reg = VGCNRegressor(trust=0.5, n_neighbors=5, max_iter=80, random_state=0)
    cv = LabelledKFold(3, random_state=0)
    assert cross_val_score(reg, x, y, cv=cv).min() > 0.8
    scores = transductive_scores(reg, x, y, cv=cv)
    assert scores.shape == (3,) and 0.8 < scores.min() and scores.max() < 1
