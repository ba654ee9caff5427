import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import tensor
from torch_geometric.nn import GCN

from torch_geometric_vgcn import FixedGraph, evaluate, fit
from torch_geometric_vgcn.analysis import calibration

ALL = torch.ones(4, dtype=torch.bool)


def test_by_hand():
    prob = tensor([[0.9, 0.1], [0.9, 0.1], [0.35, 0.65], [0.45, 0.55]])
    y = tensor([0, 1, 1, 0])
    found = calibration(prob, y, ALL, bins=5)
    assert found.count.tolist() == [0, 0, 1, 1, 2]
    assert found.accuracy.tolist() == [0, 0, 0, 1, 0.5]
    assert found.confidence.tolist() == pytest.approx([0, 0, 0.55, 0.65, 0.9])
    # (|0 - 0.55| + |1 - 0.65| + 2 |0.5 - 0.9|) / 4
    assert found.error == pytest.approx(0.425)


@pytest.mark.parametrize('bins', [1, 3, 10, 20])
def test_the_upper_limit_belongs_to_a_bin(bins):
    for place in range((bins + 1) // 2, bins + 1):
        limit = place / bins
        prob = tensor([[limit, 1 - limit]])
        found = calibration(prob, tensor([0]), tensor([0]), bins)
        highest = max(limit, 1 - limit)
        (used,) = found.count.nonzero().view(-1).tolist()
        assert used == round(highest * bins) - 1


@given(st.integers(1, 20), st.integers(1, 60), st.integers(0, 100))
def test_the_bins_make_up_the_whole(bins, num_nodes, seed):
    generator = torch.Generator().manual_seed(seed)
    prob = torch.randn(num_nodes, 4, generator=generator).softmax(dim=-1)
    y = torch.randint(4, (num_nodes,), generator=generator)
    mask = torch.arange(num_nodes)
    found = calibration(prob, y, mask, bins)
    assert int(found.count.sum()) == num_nodes
    share = found.count.double() / num_nodes
    accuracy = evaluate(prob, y, mask)[0]
    assert float(share @ found.accuracy) == pytest.approx(accuracy, abs=1e-6)
    confidence = float(prob.max(dim=-1).values.mean())
    assert float(share @ found.confidence) == pytest.approx(confidence)
    # Finer bins can't hide a gap that coarse ones show:
    one = calibration(prob, y, mask, bins=1).error
    assert abs(accuracy - confidence) - 1e-6 <= one <= found.error + 1e-6


def test_a_trained_network(citeseer):
    model = FixedGraph(GCN(3703, 16, 2, 6), citeseer.edge_index)
    fit(model, citeseer, epochs=20, progress=False)
    prob = model.predict(citeseer.x)
    found = calibration(prob, citeseer.y, citeseer.test_mask)
    assert found.count.sum() == 1000 and 0 < found.error < 1


@pytest.mark.parametrize(
    'change, name',
    [
        ({'prob': None}, 'prob'),
        ({'prob': tensor([0.5, 0.5])}, 'prob'),
        ({'prob': torch.zeros(4, 2).long()}, 'prob'),
        ({'prob': torch.zeros(0, 2)}, 'prob'),
        ({'prob': torch.eye(4).to_sparse()}, 'prob'),
        ({'prob': tensor([[1.5, -0.5]] * 4)}, 'prob'),
        ({'prob': tensor([[float('nan'), 1.0]] * 4)}, 'prob'),
        ({'prob': tensor([[0.5, 0.1]] * 4)}, 'prob'),
        ({'prob': tensor([[0.5, 0.5]] * 3)}, 'y'),
        ({'y': tensor([0, 2, 0, 0])}, 'y'),
        ({'mask': ~ALL}, 'mask'),
        ({'bins': 0}, 'bins'),
    ],
)
def test_refusals_name_the_argument(change, name):
    given = {'prob': tensor([[0.5, 0.5]] * 4), 'y': tensor([0, 1, 0, 1])}
    with pytest.raises((TypeError, ValueError), match=f"'{name}' "):
        calibration(**{**given, 'mask': ALL, **change})
