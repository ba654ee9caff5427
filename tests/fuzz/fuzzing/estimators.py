r"""Calls of the estimators for tables."""

import numpy as np
import torch

import fuzzing.world as world
from fuzzing.case import Case, target
from torch_geometric_vgcn.estimators import (
    LabelledKFold,
    VGCNClassifier,
    VGCNNodeClassifier,
    VGCNRegressor,
    transductive_scores,
)


def table(case: Case) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.RandomState(case.random.randrange(1000))
    n = case.one_of(8, 20)
    y = np.arange(n) % 2
    x = rng.randn(n, 3) + y[:, None]
    return x, np.where(rng.rand(n) < 0.3, -1, y)


def classifier(case: Case) -> VGCNClassifier:
    return case.call(
        VGCNClassifier,
        **{'max_iter': 3, 'trust': 0.5, 'random_state': 0}
        | case.kwargs(
            trust=case.one_of(0.1, 'auto'),
            n_neighbors=case.one_of(2, 50, 'auto'),
            features=case.one_of('auto', 'counts', 'measurements'),
            learn=case.one_of(True, False),
            hidden=case.one_of(1, 8),
            max_iter=case.one_of(1, 2),
            batch_size=case.one_of('auto', 4),
            random_state=case.one_of(0, 3),
        ),
    )


@target('VGCNClassifier')
def vgcn_classifier(case: Case) -> None:
    clf = classifier(case)
    x, y = table(case)
    path = torch.stack([torch.arange(7), torch.arange(1, 8)])
    case.call(clf.fit, case.arg(x), case.arg(y), graph=case.arg(None, path))
    prob = case.call(clf.predict_proba, case.arg(x, x[:1]))
    case.check_probs(torch.from_numpy(prob))
    case.check_probs(torch.from_numpy(clf.label_distributions_))


@target('VGCNRegressor')
def vgcn_regressor(case: Case) -> None:
    x, y = table(case)
    y = np.where(y < 0, np.nan, y + x[:, 0])
    reg = VGCNRegressor(trust=0.5, max_iter=2, random_state=0)
    case.call(reg.fit, case.arg(x), case.arg(y))
    _, std = case.call(reg.predict, case.arg(x, x[:1]), return_std=True)
    case.check(bool((std >= 0).all()), 'standard deviations')


@target('LabelledKFold', 'transductive_scores')
def labelled_k_fold(case: Case) -> None:
    x, y = table(case)
    with case.right():
        clf = classifier(case)
    cv = case.call(
        LabelledKFold, case.arg(2, 3), **case.kwargs(random_state=0)
    )
    given = case.arg(y)
    for train, test in case.call(cv.split, x, given):
        case.check(not set(train) & set(test), 'folds must not overlap')
    scores = case.call(transductive_scores, clf, case.arg(x), given, cv=cv)
    case.check(bool(((scores >= 0) & (scores <= 1)).all()), 'accuracies')


@target('VGCNNodeClassifier')
def vgcn_node_classifier(case: Case) -> None:
    data = world.graph(case, least=6)
    model = VGCNNodeClassifier(max_iter=2, trust=0.5, random_state=0)
    case.call(model.fit, case.arg(data))
    other = case.arg(None, data)
    _, prob = case.call(model.predict, other, return_prob=True)
    case.check_probs(prob)
