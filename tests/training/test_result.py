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
