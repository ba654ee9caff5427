import pytest
import torch

from torch_geometric_vgcn import evaluate
from torch_geometric_vgcn.training import Fit

PROB = torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5]])
Y = torch.tensor([0, 1, 1, -1])


@pytest.mark.parametrize(
    'mask',
    [
        torch.tensor([True, False, True, False]),
        torch.tensor([2, 0]),
        torch.tensor([0, 2], dtype=torch.int32),
    ],
)
def test_accuracy_and_negative_log_likelihood(mask):
    acc, nll = evaluate(PROB, Y, mask)
    assert acc == 0.5
    assert nll == pytest.approx(-float(torch.tensor([0.9, 0.4]).log().mean()))


@pytest.mark.parametrize(
    'prob, y, mask, error, message',
    [
        (PROB, Y, torch.tensor([3]), ValueError, "'y' must be non-neg.*ot -1"),
        (PROB, Y + 1, torch.tensor([1]), ValueError, 'below 2, .*got 2'),
        (PROB, Y, torch.tensor([4]), ValueError, r"'mask' .*\[0, 3\], got"),
        (PROB, Y, torch.ones(4), TypeError, "'mask' .*got torch.float32"),
        (PROB, Y, [0, 1], TypeError, "'mask' must be a torch.Tensor"),
        (PROB, Y[:3], torch.tensor([0]), ValueError, "'y' must hold one"),
        (PROB / 0, Y, torch.tensor([0]), ValueError, "'prob' must be finite"),
        (PROB[:, 0], Y, torch.tensor([0]), ValueError, r"'prob' .*\[N, C\]"),
        (PROB[:, :1], Y, torch.tensor([0]), ValueError, 'one output per cl'),
        (
            [[1.0]],
            Y,
            torch.tensor([0]),
            TypeError,
            "'prob' must be a torch.Tensor",
        ),
    ],
)
def test_bad_arguments_are_refused(prob, y, mask, error, message):
    with pytest.raises(error, match=message):
        evaluate(prob, y, mask)


def test_settled_is_now_warmup_done():
    with pytest.warns(DeprecationWarning, match="now 'warmup_done', and goes"):
        assert Fit(warmup_done=True).settled


def test_the_best_epoch_comes_after_the_warmup():
    result = Fit(score='r2')
    rows = [(0.9, 1.0), (0.5, 1.0), (0.7, 2.0), (0.7, 1.0), (0.6, 0.5)]
    best = []
    for epoch, (score, nll) in enumerate(rows):
        row = {'val_r2': score, 'val_nll': nll}
        best.append(result.add(row, warmup_done=epoch > 0))
    assert best == [True, True, True, True, False]
    assert (result.best_epoch, result.val_score) == (3, 0.7)
