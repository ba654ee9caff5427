import numpy as np
import pytest
import torch
from sklearn.model_selection import GridSearchCV, cross_val_score

from torch_geometric_vgcn.estimators import (
    LabelledKFold,
    VGCNClassifier,
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


def test_texts(quick):
    y = np.array(['a', 'b', None, 'a', 'b', ''], dtype=object)
    folds = LabelledKFold(2, random_state=0)
    for train, test in folds.split(np.zeros((6, 1)), y):
        assert {2, 5} <= set(train) and test.size == 2
    assert folds.get_n_splits() == 2
    assert repr(folds) == 'LabelledKFold(n_splits=2)'
    assert isinstance(quick, VGCNClassifier)
