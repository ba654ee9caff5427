"""What holds for each likelihood, and what each refuses."""

import pytest
import torch

from torch_geometric_vgcn import Gaussian, MultiLabel, evaluate
from torch_geometric_vgcn.objective import Categorical, GaussianPrediction

NAN, INF = float('nan'), float('inf')
ALL = torch.arange(5)
BITS = torch.tensor([[0, 1], [1, 0], [1, 1], [0, 0], [1, 0]])
# Each with labels that it takes, and others:
LABELS = {
    Categorical: (
        lambda: Categorical(),
        [BITS[:, 0]],
        [torch.ones(5), BITS, BITS[:4, 0], BITS[:, 0] + 2, BITS[:, 0] - 1],
    ),
    Gaussian: (
        lambda: Gaussian(2),
        [torch.randn(5, 2), torch.randn(5, 2).double()],
        [
            torch.ones(5),
            torch.ones(5, 3),
            torch.ones(4, 2),
            torch.ones(5, 2).long(),
            torch.full((5, 2), INF),
            torch.eye(5).to_sparse(),
            [[1.0, 2.0]] * 5,
        ],
    ),
    MultiLabel: (
        lambda: MultiLabel(),
        [BITS, BITS.float(), BITS.bool(), BITS.half()],
        [
            torch.ones(5),
            torch.ones(4, 2),
            torch.ones(5, 0),
            torch.full((5, 2), 2.0),
            torch.full((5, 2), 0.5),
            torch.ones(5, 2).cfloat(),
            [[1, 0]] * 5,
        ],
    ),
}
KINDS = pytest.mark.parametrize('kind', LABELS, ids=lambda k: k.__name__)


@KINDS
def test_labels_are_checked_before_training_and_in_it(kind):
    make, good, bad = LABELS[kind]
    likelihood, out = make(), torch.randn(3, 5, 2)
    for y in good:
        likelihood.check_labels(y, ALL, 5, num_outputs=2)
        assert likelihood.log_prob(out, y).shape == (3, 5)
    for y in bad:
        with pytest.raises((TypeError, ValueError), match="'y' must"):
            likelihood.check_labels(y, ALL, 5, num_outputs=2)
        with pytest.raises((TypeError, ValueError), match="'y' must"):
            likelihood.log_prob(out, y)
    y = good[0]
    with pytest.raises(ValueError, match='the network must have one output'):
        likelihood.check_labels(y, ALL, 5, num_outputs=1)
    for some in (torch.ones(5), out.long()):
        with pytest.raises(ValueError, match="'out' must hold floating"):
            likelihood.log_prob(some, y)
    if kind is not Categorical:
        with pytest.raises(ValueError, match='5 nodes with NaN only'):
            likelihood.check_labels(torch.full((5, 2), NAN), ALL, 5)


def test_the_number_of_targets_is_told():
    with pytest.raises(ValueError, match=r'use Gaussian\(num_targets=3\)'):
        Gaussian().check_labels(torch.ones(5, 3), ALL, 5)


@KINDS
def test_training_ignores_the_temperature_which_is_a_part_of_the_state(kind):
    make, (y, *_), _ = LABELS[kind]
    likelihood, again, out = make(), make(), torch.randn(3, 5, 2)
    log_prob, mean = likelihood.log_prob(out, y), likelihood.mean(out)
    likelihood.set_temperature(2.5)
    assert torch.equal(likelihood.log_prob(out, y), log_prob)
    assert torch.equal(likelihood.mean(out), mean)
    again.load_state_dict(likelihood.state_dict())
    assert again.temperature == 2.5
    again.reset_parameters()
    assert again.temperature == 1


def both(mean, variance):
    return GaussianPrediction(mean, variance)


@pytest.mark.parametrize(
    'kind, wrong',
    [
        (Categorical, [torch.rand(5), torch.full((5, 2), NAN), [[1.0]]]),
        (
            MultiLabel,
            [
                torch.rand(5),
                1 + torch.rand(5, 2),
                torch.full((5, 2), NAN),
                BITS.bool(),
            ],
        ),
        (
            Gaussian,
            [
                torch.ones(5, 2),
                both(torch.ones(5, 2), torch.zeros(5, 2)),
                both(torch.ones(5, 2), torch.ones(4, 2)),
                both(torch.ones(5, 2) / 0, torch.ones(5, 2)),
                both(torch.ones(5), torch.ones(5)),
            ],
        ),
    ],
)
def test_bad_predictions_are_refused(kind, wrong):
    make, (y, *_), _ = LABELS[kind]
    for prediction in wrong:
        with pytest.raises((TypeError, ValueError), match="'prob|'prediction"):
            evaluate(prediction, y, ALL, make())
