import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss

from torch_geometric_vgcn.report.held_out import HeldOut


@pytest.fixture
def held():
    rng = np.random.default_rng(0)
    return HeldOut(rng.integers(0, 4, 80), rng.dirichlet(np.ones(4), 80))


def test_figures_are_those_of_scikit_learn(held):
    found = held.prob.argmax(axis=1)
    assert held.accuracy == accuracy_score(held.label, found)
    assert held.nll == pytest.approx(log_loss(held.label, held.prob))
    assert (held.confusion == confusion_matrix(held.label, found)).all()


def test_the_interval_contains_the_accuracy(held):
    low, high = held.interval
    assert 0 < low < held.accuracy < high < 1


def test_all_right_is_not_certain():
    held = HeldOut(np.zeros(20, dtype=int), np.eye(2)[np.zeros(20, dtype=int)])
    assert held.interval[0] < 0.9
    assert held.calibration.error == 0
