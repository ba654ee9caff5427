from functools import partial
from pathlib import Path

import pytest
from torch.optim import SGD, Adam

from torch_geometric_vgcn import Consistency
from torch_geometric_vgcn.training.settings import Settings

GOOD = {
    'epochs': 10, 'lr': 0.01, 'logit_lr': 0.01, 'logit_optimizer': Adam,
    'weight_decay': 0, 'num_samples': 3, 'terms': (), 'patience': 5,
    'checkpoint': None, 'checkpoint_every': 5, 'progress': True,
}  # fmt: skip
NAN, INF = float('nan'), float('inf')


@pytest.mark.parametrize('checkpoint', [None, 'run.pt', Path('run.pt')])
def test_good_settings_pass(checkpoint):
    own = {'logit_lr': None, 'logit_optimizer': None}  # the defaults
    assert Settings(**{**GOOD, **own}).epochs == 10
    assert Settings(**{**GOOD, 'checkpoint': checkpoint}).epochs == 10


@pytest.mark.parametrize(
    'name', ['epochs', 'num_samples', 'patience', 'checkpoint_every']
)
@pytest.mark.parametrize('value', [0.5, 2.0, True, '3', None])
def test_counts_are_ints(name, value):
    with pytest.raises(TypeError, match=f"'{name}' must be an int, got"):
        Settings(**{**GOOD, name: value})


@pytest.mark.parametrize(
    'name', ['epochs', 'num_samples', 'patience', 'checkpoint_every']
)
@pytest.mark.parametrize('value', [0, -1])
def test_counts_are_positive(name, value):
    with pytest.raises(
        ValueError, match=f"'{name}' .*at least 1, got {value}"
    ):
        Settings(**{**GOOD, name: value})


@pytest.mark.parametrize('name', ['lr', 'logit_lr', 'weight_decay'])
@pytest.mark.parametrize('value', [NAN, INF, -0.1])
def test_rates_are_finite(name, value):
    with pytest.raises(ValueError, match=f"'{name}' must be .*got {value}"):
        Settings(**{**GOOD, name: value})


@pytest.mark.parametrize('name', ['lr', 'logit_lr', 'weight_decay'])
@pytest.mark.parametrize('value', ['0.1', True, [0.1]])
def test_rates_are_numbers(name, value):
    with pytest.raises(TypeError, match=f"'{name}' must be a number, got"):
        Settings(**{**GOOD, name: value})


@pytest.mark.parametrize('name', ['lr', 'logit_lr'])
def test_learning_rates_are_positive(name):
    with pytest.raises(ValueError, match=f"'{name}' must be positive .*got 0"):
        Settings(**{**GOOD, name: 0})


@pytest.mark.parametrize(
    'name, value, message',
    [
        ('checkpoint', 3, 'a str or PathLike, got int'),
        ('checkpoint', True, 'a str or PathLike, got bool'),
        ('progress', 'yes', "a bool, got 'yes'"),
        ('terms', None, 'a Sequence, got NoneType'),
        ('terms', Consistency(2), 'a Sequence, got Consistency'),
        ('terms', [Consistency(2), 0.1], 'a Term, got float'),
        ('terms', [Consistency], 'a Term, got ABCMeta'),
    ],
)
def test_other_types_are_refused(name, value, message):
    with pytest.raises(TypeError, match=f"'{name}' must be {message}"):
        Settings(**{**GOOD, name: value})


@pytest.mark.parametrize('value', ['SGD', 0.1])
def test_the_logit_optimizer_makes_one(value):
    with pytest.raises(TypeError, match="'logit_optimizer' must make an opt"):
        Settings(**{**GOOD, 'logit_optimizer': value})


def test_fingerprints_tell_optimizers_apart():
    prints = {
        Settings(**{**GOOD, 'logit_optimizer': make}).fingerprint()[
            'logit_optimizer'
        ]
        for make in (
            Adam,
            SGD,
            partial(SGD, momentum=0.9),
            partial(SGD, momentum=0.5),
        )
    }
    assert len(prints) == 4 and 'None' not in prints
