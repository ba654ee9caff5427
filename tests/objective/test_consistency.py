"""The former terms of the loss are parts of the bound."""

import pytest
import torch

from torch_geometric_vgcn import SemiSupervisedELBO
from torch_geometric_vgcn.objective import BernoulliKL, Categorical
from torch_geometric_vgcn.objective import Consistency as Deprecated

Y = torch.tensor([0, 1, 1, 2, -1, -1, -1])
MASK = Y >= 0


def consistency(*args, **options):
    with pytest.warns(DeprecationWarning, match='SemiSupervisedELBO'):
        return Deprecated(*args, **options)


@pytest.mark.parametrize('num_samples', [1, 3])
@pytest.mark.parametrize(
    'options', [{}, {'temperature': 1.0, 'weight': 0.7, 'warmup': 0}]
)
def test_it_is_the_agreement_for_each_label(num_samples, options):
    out = torch.randn(num_samples, 7, 3)
    objective = SemiSupervisedELBO(BernoulliKL(), **options)
    bound = objective.of_nodes(Categorical(), out, Y, MASK, None)
    term = consistency(3, **options)
    for mask in (MASK, MASK.nonzero().view(-1)):
        assert float(term(out, Y, mask)) == float(-bound.agreement / 4) > 0
    if num_samples == 1:
        assert term(out[0], Y, MASK) == term(out, Y, MASK)


def test_its_state_is_a_state_dict():
    term, again = consistency(3), consistency(3)
    out = torch.randn(2, 7, 3, requires_grad=True)
    term(out, Y, MASK).backward()
    again.load_state_dict(term.state_dict())
    assert again(out, Y, MASK) == term(out, Y, MASK) > 0


@pytest.mark.parametrize(
    'change, message',
    [
        ({'out': torch.zeros(2, 7, 4)}, "'out' must have 3 columns, .*got 4"),
        ({'out': torch.zeros(7)}, r"'out' must hold .*\[7\]"),
        ({'out': None}, "'out' must be a torch.Tensor"),
        ({'y': Y[:5]}, "'y' must hold one int64 class id for each of the 7"),
        ({'y': Y + 7}, "'y' must hold classes below 3"),
        ({'mask': MASK[:5]}, r"'mask' must have shape \[7\], got \[5\]"),
        ({'mask': None}, "'mask' must be a Tensor, got NoneType"),
    ],
)
def test_wrong_inputs_are_refused(change, message):
    term = consistency(3)
    given = {'out': torch.zeros(2, 7, 3), 'y': Y, 'mask': MASK, **change}
    with pytest.raises((TypeError, ValueError), match=message):
        term(**given)


@pytest.mark.parametrize(
    'name, value', [('num_classes', 1), ('weight', -0.1), ('warmup', 0.5)]
)
@pytest.mark.filterwarnings('ignore:Consistency:DeprecationWarning')
def test_wrong_arguments_are_refused(name, value):
    with pytest.raises((TypeError, ValueError), match=f"'{name}' must be"):
        Deprecated(**{'num_classes': 3, name: value})
