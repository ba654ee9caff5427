import math

import pytest
import torch
from torch.nn.functional import one_hot

from torch_geometric_vgcn.objective import Consistency

pytestmark = pytest.mark.filterwarnings(
    'ignore:Consistency is deprecated:DeprecationWarning'
)

Y = torch.tensor([0, 1, 1, 2, -1, -1, -1])
MASK = torch.tensor([True, True, True, True, False, False, False])


def outputs(num_samples=3, num_classes=3, dtype=torch.double):
    return torch.randn(num_samples, Y.numel(), num_classes, dtype=dtype)


def step(term, out, y, mask):
    r"""A training step, and the value of the term in it."""
    loss = term(out.clone().requires_grad_(), y, mask)
    loss.backward()
    return float(loss)


def full(**options):
    r"""A term without a warm-up."""
    return Consistency(3, warmup=0, **options).double()


def normalized(values):
    return [value / sum(values) for value in values]


def by_hand(out, nodes, count, temperature, weight=1.0):
    r"""The formula, one number at a time."""
    prob = out.softmax(dim=-1).tolist()
    num_samples, num_classes = len(prob), out.size(-1)
    sharp = {}
    for n in nodes:
        mean = [
            sum(prob[s][n][c] for s in range(num_samples)) / num_samples
            for c in range(num_classes)
        ]
        sharp[n] = normalized([p ** (1 / temperature) for p in mean])
    wanted = normalized([k + 1 for k in count])
    total = 0.0
    for n in nodes:
        target = normalized(
            [
                sharp[n][c]
                * wanted[c]
                / (sum(sharp[m][c] for m in nodes) / len(nodes))
                for c in range(num_classes)
            ]
        )
        for s in range(num_samples):
            total -= sum(
                target[c] * math.log(prob[s][n][c]) for c in range(num_classes)
            )
    return weight * total / (len(nodes) * num_samples)


@pytest.mark.parametrize('num_samples', [1, 3])
@pytest.mark.parametrize('temperature', [0.2, 0.5, 1.0, 2.0])
def test_it_is_the_formula(num_samples, temperature):
    out = outputs(num_samples)
    term = full(temperature=temperature, weight=0.7)
    expected = by_hand(out, [4, 5, 6], [1, 2, 1], temperature, 0.7)
    assert float(term(out, Y, MASK)) == pytest.approx(expected, rel=1e-10)


def test_one_graph_may_come_without_a_dimension_of_its_own():
    out = outputs(1)
    assert full()(out[0], Y, MASK) == full()(out, Y, MASK)


def test_masks_and_indices_are_the_same():
    out, index = outputs(), MASK.nonzero().view(-1).flip(0)
    assert full()(out, Y, index) == full()(out, Y, MASK)


def test_the_target_is_taken_as_given():
    out = outputs().requires_grad_()
    (grad,) = torch.autograd.grad(full()(out, Y, MASK), out)
    fixed = out.detach()

    def with_fixed_target(out):
        # The derivative of -q log p by the outputs is p - q.
        free, prob = fixed[:, 4:], out[:, 4:].softmax(dim=-1)
        sharp = free.softmax(dim=-1).mean(dim=0).square()
        sharp = sharp / sharp.sum(dim=-1, keepdim=True)
        wanted = torch.tensor([2.0, 3.0, 2.0]).double()
        target = sharp * wanted / sharp.mean(dim=0)
        target = target / target.sum(dim=-1, keepdim=True)
        return -(target * prob.log()).sum(dim=-1).mean()

    own = fixed.clone().requires_grad_()
    assert torch.autograd.gradcheck(with_fixed_target, (own,))
    (expected,) = torch.autograd.grad(with_fixed_target(own), own)
    torch.testing.assert_close(grad, expected)
    assert (grad[:, :4] == 0).all() and (grad[:, 4:] != 0).all()


def target_of(out, y, mask, **options):
    r"""The target that a gradient p - q was made with."""
    out = out.clone().requires_grad_()
    (grad,) = torch.autograd.grad(full(**options)(out, y, mask), out)
    free = ~mask
    scale = int(free.sum()) * out.size(0)
    return out.detach()[:, free].softmax(dim=-1)[0] - scale * grad[0, free]


def test_classes_are_as_frequent_as_among_the_labels():
    # The outputs prefer class 0, the labels are balanced.
    y, mask = torch.arange(7) % 3, torch.arange(7) < 3
    out = torch.randn(1, 7, 3).double()
    out[..., 0] += 3
    prob = out.softmax(dim=-1)[0, 3:].mean(dim=0)
    target = target_of(out, y, mask, temperature=1.0).mean(dim=0)
    assert prob[0] > 0.6
    assert (target - 1 / 3).abs().max() < (prob - 1 / 3).abs().max() / 2
    # Where all nodes say the same, only the labels' shares are left:
    same = torch.tensor([1.0, 2.0, 0.0]).double().expand(1, 7, 3)
    target = target_of(same, Y, MASK)
    expected = torch.tensor([2.0, 3.0, 2.0]).double() / 7
    torch.testing.assert_close(target, expected.expand(3, 3))


def test_shares_may_be_given():
    same = torch.tensor([1.0, 2.0, 0.0]).double().expand(1, 7, 3)
    expected = torch.tensor([0.2, 0.2, 0.6]).double().expand(3, 3)
    for share in (torch.tensor([1, 1, 3]), torch.tensor([0.4, 0.4, 1.2])):
        target = target_of(same, Y, MASK, class_share=share)
        torch.testing.assert_close(target, expected, rtol=1e-6, atol=1e-6)
    # The labels' own shares, given, are the default:
    out, share = outputs(), torch.tensor([2, 3, 2])
    given = full(class_share=share)(out, Y, MASK)
    assert float(given) == pytest.approx(float(full()(out, Y, MASK)), rel=1e-6)


@pytest.mark.parametrize(
    ('share', 'message'),
    [
        (torch.ones(2), r'must have shape \[3\].*got \[2\]'),
        (torch.ones(3, 1), r'must have shape \[3\].*got \[3, 1\]'),
        (torch.tensor([1.0, 0.0, 2.0]), 'positive and finite.*add one'),
        (torch.tensor([1.0, float('nan'), 2.0]), 'positive and finite'),
    ],
)
def test_shares_that_are_none(share, message):
    with pytest.raises(ValueError, match=f"'class_share'.*{message}"):
        Consistency(3, class_share=share)


def test_shares_must_be_a_tensor():
    with pytest.raises(TypeError, match="'class_share' must be a torch.Ten"):
        Consistency(3, class_share=[1, 2, 3])


def test_low_temperatures_sharpen():
    out = torch.randn(1, 7, 3).double()
    entropy = []
    for temperature in (2.0, 1.0, 0.5, 0.25):
        target = target_of(out, Y, MASK, temperature=temperature)
        entropy.append(float(-(target * target.log()).sum(dim=-1).mean()))
    assert entropy == sorted(entropy, reverse=True)


@pytest.mark.parametrize('temperature', [1e-300, 1e-3, 1e3, 1e300])
def test_any_temperature_gives_numbers(temperature):
    out = (10 * outputs(dtype=torch.float)).requires_grad_()
    term = Consistency(3, temperature=temperature, warmup=0)
    loss = term(out, Y, MASK)
    (grad,) = torch.autograd.grad(loss, out)
    assert loss.isfinite() and grad.isfinite().all()


def test_it_warms_up_in_training_mode_only():
    out = outputs()
    term = Consistency(3, warmup=4).double().eval()
    for _ in range(3):
        assert term(out, Y, MASK) == 0
    term.train()
    balanced = torch.tensor([0, 1, 2, -1, -1, -1, -1])
    mask = torch.arange(7) < 3
    # With balanced labels their number doesn't matter:
    whole = by_hand(out, [3, 4, 5, 6], [0, 0, 0], 0.5)
    shares = [step(term, out, balanced, mask) / whole for _ in range(6)]
    assert shares == pytest.approx([0.25, 0.5, 0.75, 1, 1, 1])
    term.eval()
    assert float(term(out, balanced, mask)) == pytest.approx(whole)
    assert term.step == 6 and term.count.tolist() == [6, 6, 6]
    term.reset_parameters()
    assert term.step == 0 and term.count.tolist() == [0, 0, 0]


def test_without_a_warm_up_the_first_call_counts():
    assert Consistency(3, warmup=0)(outputs(), Y, MASK) > 0


def test_without_an_unlabelled_node_it_is_zero():
    out = outputs().requires_grad_()
    y = Y.clamp(min=0)
    loss = full()(out, y, torch.ones(7).bool())
    (grad,) = torch.autograd.grad(loss, out)
    assert loss == 0 and (grad == 0).all()


@pytest.mark.parametrize(
    'mask', [torch.zeros(7).bool(), torch.zeros(0).long()], ids=['mask', 'id']
)
def test_a_batch_may_have_no_label(mask):
    out, y = outputs(), torch.full((7,), -1)
    expected = by_hand(out, range(7), [0, 0, 0], 0.5)
    assert float(full()(out, y, mask)) == pytest.approx(expected)


def test_counts_of_batches_become_the_shares_of_all():
    labels = torch.randint(100, (400,)).clamp(max=2)  # mostly of class 2
    term = full()
    for nodes in torch.randperm(400).split(40):
        out = torch.randn(2, 40, 3).double()
        mask = torch.rand(40) < 0.5
        y = labels[nodes].masked_fill(~mask, -1)
        before = term.count.clone()
        term(out, y, mask)  # without a step, nothing is counted
        assert torch.equal(term.count, before)
        step(term, out, y, mask)
        new = one_hot(y[mask], 3).sum(dim=0)
        assert torch.equal(term.count, before + new)
    share = term.count / term.count.sum()
    expected = one_hot(labels, 3).double().mean(dim=0)
    assert (share - expected).abs().max() < 0.05


@pytest.mark.parametrize('dtype', [torch.half, torch.bfloat16])
def test_half_precision(dtype):
    out = outputs()
    term = Consistency(3, warmup=0)
    expected = float(full()(out, Y, MASK))
    assert float(term(out.to(dtype), Y, MASK)) == pytest.approx(
        expected, rel=0.05
    )
    with torch.autocast('cpu', dtype=dtype):
        got = Consistency(3, warmup=0)(out.float(), Y, MASK)
    assert float(got) == pytest.approx(expected, rel=1e-3)


def test_its_state_is_a_state_dict():
    term, again = Consistency(3), Consistency(3)
    for _ in range(2):
        step(term, outputs(), Y, MASK)
    assert term.step == 2
    again.load_state_dict(term.state_dict())
    out = outputs()
    assert again(out, Y, MASK) == term(out, Y, MASK)


@pytest.mark.parametrize(
    'change, message',
    [
        ({'out': torch.zeros(2, 7, 4)}, "'out' must have 3 columns, .*got 4"),
        ({'out': torch.zeros(7)}, r"'out' must hold .*\[7\]"),
        ({'out': torch.zeros(1, 2, 7, 3)}, r"'out' must have shape .*\[1, 2,"),
        ({'out': torch.zeros(7, 3).long()}, "'out' must hold floating"),
        ({'out': None}, "'out' must be a torch.Tensor"),
        ({'y': Y[:5]}, "'y' must hold one int64 class id for each of the 7"),
        ({'y': Y.float()}, "'y' must hold one int64 class id"),
        ({'y': Y + 7}, "'y' must hold classes below 3"),
        ({'y': -Y - 2}, "'y' must be non-negative where 'mask'"),
        ({'mask': MASK[:5]}, r"'mask' must have shape \[7\], got \[5\]"),
        ({'mask': torch.tensor([7])}, "'mask' must hold node indices in"),
        ({'mask': None}, "'mask' must be a Tensor, got NoneType"),
    ],
)
def test_wrong_inputs_are_refused(change, message):
    term = Consistency(3)
    given = {'out': torch.zeros(2, 7, 3), 'y': Y, 'mask': MASK, **change}
    with pytest.raises((TypeError, ValueError), match=message):
        term(**given)
    assert term.step == 0 and (term.count == 0).all()


@pytest.mark.parametrize(
    'name, value',
    [
        ('num_classes', 1),
        ('num_classes', 2.0),
        ('weight', -0.1),
        ('weight', float('nan')),
        ('temperature', 0),
        ('temperature', 'low'),
        ('warmup', -1),
        ('warmup', 0.5),
    ],
)
def test_wrong_arguments_are_refused(name, value):
    with pytest.raises((TypeError, ValueError), match=f"'{name}' must be"):
        Consistency(**{'num_classes': 3, name: value})


def test_it_names_what_replaces_it():
    with pytest.warns(DeprecationWarning, match='SemiSupervisedELBO'):
        Consistency(3)
