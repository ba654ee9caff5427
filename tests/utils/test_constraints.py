import inspect

import pytest
import torch
from torch.nn import Linear, Module

from torch_geometric_vgcn.utils import (
    COUNT,
    FLAG,
    FUNCTION,
    POSITIVE,
    Floats,
    Instance,
    Maker,
    at_least,
    checked,
)


@checked(conv=Instance(Module), temperature=POSITIVE, k=at_least(2))
def made(conv, temperature=0.5, k=None):
    """What was made."""
    return conv, temperature, k


def test_good_arguments_arrive_in_their_plain_form():
    conv = Linear(2, 2)
    assert made(conv) == (conv, 0.5, None)
    conv, temperature, k = made(conv, torch.tensor(2), k=torch.tensor(3))
    assert (type(temperature), type(k)) == (float, int)
    assert (temperature, k) == (2.0, 3)


@pytest.mark.parametrize(
    'args, error, message',
    [
        (('GCN',), TypeError, "'conv' must be a Module, got str"),
        ((None,), TypeError, "'conv' must be a Module, got NoneType"),
        ((Linear(2, 2), 0), ValueError, "'temperature' must be positive"),
        ((Linear(2, 2), None), TypeError, "'temperature' must be a number"),
        ((Linear(2, 2), 1, 1), ValueError, "'k' must be at least 2, got 1"),
        ((Linear(2, 2), 1, 2.5), TypeError, "'k' must be an int, got 2.5"),
    ],
)
def test_bad_arguments_are_named(args, error, message):
    with pytest.raises(error, match=message):
        made(*args)


def test_wrong_calls_get_the_error_of_python():
    with pytest.raises(TypeError, match="argument: 'conv'"):
        made()


def test_signature_and_docstring_stay():
    assert list(inspect.signature(made).parameters) == [
        'conv',
        'temperature',
        'k',
    ]
    assert made.__doc__ == 'What was made.'


@pytest.mark.parametrize(
    'constraint, value, message',
    [
        (COUNT, -1, 'at least 0, got -1'),
        (FLAG, 1, 'must be a bool, got 1'),
        (FUNCTION, 1, 'must be callable, got int'),
        (Maker(), Linear(1, 1), 'must be a function that makes one'),
        (Floats('N', 3), torch.ones(2, 2), r'shape \[N, 3\], got \[2, 2\]'),
        (Floats('N'), torch.arange(2), 'floating point, got torch.int64'),
        (Floats('N'), [1.0], r'torch.Tensor of shape \[N\], got list'),
    ],
)
def test_each_constraint_tells_what_is_expected(constraint, value, message):
    with pytest.raises((TypeError, ValueError), match=f"'it' .*{message}"):
        constraint(value, 'it')
