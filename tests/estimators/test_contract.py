r"""What scikit-learn expects of every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from torch_geometric_vgcn.estimators import VGCNClassifier

#: It is given -1 as a class, which means unknown here, as in LabelSpreading.
EXPECTED = {'check_classifiers_classes': '-1 is an unknown label'}
QUICK = VGCNClassifier(trust=0.5, n_neighbors=5, hidden=32, max_iter=20)


@pytest.mark.filterwarnings('ignore')
@parametrize_with_checks([QUICK], expected_failed_checks=lambda _: EXPECTED)
def test_it_keeps_the_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings('ignore')
@parametrize_with_checks(
    [VGCNClassifier(max_iter=30)], expected_failed_checks=lambda _: EXPECTED
)
def test_it_keeps_the_contract_with_choices(estimator, check):
    check(estimator)
