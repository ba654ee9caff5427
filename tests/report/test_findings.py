import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss

from torch_geometric_vgcn.report.findings import EdgeChanges, HeldOut


@pytest.mark.parametrize(
    ('given', 'distrusted', 'strongest'),
    [
        ('1010.', [0, 2], [1, 3]),  # given ones by what they are now
        ('10101', [2, 0, 3, 1], [1, 3]),  # a given graph that isn't used
        ('0000.', [2, 0, 3, 1], [1, 3, 0, 2]),  # by their change
        ('1111.', [0, 3, 2, 1], [1, 3, 0, 2]),  # no new ones
    ],
)
def test_edges_are_ranked(given, distrusted, strongest):
    edges = EdgeChanges(
        np.array([[0, 0, 0, 1, 1], [1, 2, 3, 2, 3]]),
        np.array([0.5, 0.5, 0.9, 0.2, 0.0]),  # the last is no candidate
        np.array([0.1, 0.8, 0.4, 0.3, 0.0]),
        np.array([sign == '1' for sign in given]),
    )
    assert edges.most_distrusted(5).tolist() == distrusted
    assert edges.strongest(5).tolist() == strongest
    assert edges.strongest(1).tolist() == strongest[:1]


def test_figures_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    held = HeldOut(rng.integers(0, 4, 80), rng.dirichlet(np.ones(4), 80))
    found = held.prob.argmax(axis=1)
    assert held.accuracy == accuracy_score(held.label, found)
    assert held.nll == pytest.approx(log_loss(held.label, held.prob))
    assert (held.confusion == confusion_matrix(held.label, found)).all()
    low, high = held.interval
    assert 0 < low < held.accuracy < high < 1


def test_all_right_is_not_certain():
    held = HeldOut(np.zeros(20, dtype=int), np.eye(2)[np.zeros(20, dtype=int)])
    assert held.interval[0] < 0.9
    assert held.calibration.error == 0


def test_of_many_classes_the_largest_have_colours(make):
    assert make().colour == [0, 1, 2]
    findings = make(n=200, classes=[str(c) for c in range(30)])
    size = np.bincount(findings.predicted, minlength=30)
    colour = np.array(findings.colour)
    assert sorted(colour[colour < 10]) == list(range(10))
    assert size[colour < 10].min() >= size[colour == 10].max()
