import numpy as np
import pytest
from sklearn.base import clone

from torch_geometric_vgcn.report.from_classifier import from_classifier


def test_all_that_was_learned_is_found(fitted):
    findings = from_classifier(fitted)
    assert list(findings.classes) == ['blue', 'green', 'red']
    names = fitted.classes_[findings.predicted]
    assert (names == fitted.transduction_).all()
    assert findings.weighed
    tried = {trial['setting'] for trial in findings.trials}
    assert tried == set(fitted.leaderboard_['member'])
    assert findings.held_out.accuracy == pytest.approx(
        fitted.validation_score_
    )
    edges = findings.edges
    assert 2 * len(edges) >= fitted.graph_.nnz
    assert 2 * edges.given.sum() == fitted.given_graph_.nnz
    for (i, j), prior, posterior in zip(
        edges.index.T, edges.prior, edges.posterior, strict=True
    ):
        assert prior == fitted.prior_graph_[i, j]
        assert posterior == fitted.graph_[i, j]


def test_without_a_graph_nothing_is_given(fitted):
    x = np.random.RandomState(0).randn(20, 3)
    y = np.arange(20) % 2
    found = from_classifier(clone(fitted).set_params(max_iter=2).fit(x, y))
    assert not found.edges.given.any()
    assert found.edges.candidate.all()


def test_one_label_of_each_class_can_not_be_held_out(fitted):
    x = np.random.RandomState(0).randn(20, 3)
    y = np.where(np.arange(20) < 2, np.arange(20), -1)
    found = from_classifier(clone(fitted).set_params(max_iter=2).fit(x, y))
    assert len(found.held_out) == 0
