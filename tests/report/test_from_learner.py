import pytest
import torch
from torch_geometric.data import Data

from torch_geometric_vgcn import AllPairs, evaluate
from torch_geometric_vgcn.report.from_learner import from_learner


@pytest.fixture
def data(graph):
    return Data(
        x=torch.randn(6, 3),
        y=torch.tensor([0, 0, 0, 1, 1, 1]),
        edge_index=graph,
        train_mask=torch.tensor([1, 0, 0, 1, 0, 0]).bool(),
        val_mask=torch.tensor([1, 1, 0, 0, 1, 0]).bool(),
    )


def test_probabilities_are_those_of_the_learner(learner, data):
    findings = from_learner(learner, data)
    edges = findings.edges
    assert edges.index.T.tolist() == learner.prior.pairs.index.t().tolist()
    assert edges.prior == pytest.approx([0.25] * 7)
    assert edges.posterior == pytest.approx(
        [0.9, 0.8, 0.26, 0.05, 0.7, 0.23, 0.25], abs=1e-6
    )
    assert edges.given.all() and not edges.has_new
    assert edges.most_distrusted(1).tolist() == [3]


def test_labels_that_trained_the_model_do_not_measure_it(learner, data):
    findings = from_learner(learner, data)
    assert findings.label.tolist() == [0, 0, -1, 1, 1, -1]
    prob = torch.from_numpy(findings.prob)
    accuracy, nll = evaluate(prob, data.y, torch.tensor([1, 4]))
    assert len(findings.held_out) == 2  # not node 0, of both masks
    assert findings.held_out.accuracy == pytest.approx(accuracy)
    assert findings.held_out.nll == pytest.approx(nll)


def test_without_masks_nothing_is_measured(learner, data):
    y = torch.tensor([0, -1, -1, 1, -1, -1])
    findings = from_learner(learner, Data(x=data.x, y=y))
    assert findings.label.tolist() == y.tolist()
    assert len(findings.held_out) == 0


def test_of_all_pairs_the_improbable_ones_are_left_out(learner_with, data):
    probs = (0.9, 0.8, 0.26, 0.05, 0.7, 0.23, 0.25)
    made = learner_with(*probs, pairs=AllPairs(6))
    with torch.no_grad():
        made.posterior.offset[3] += 12.0  # a pair that was not observed
    findings = from_learner(made, data)
    assert len(findings.edges) == 8
    assert findings.left_out == 15 - 8
    new = findings.edges.strongest(50)
    assert findings.edges.index[:, new].T.tolist() == [[0, 4]]


def test_random_numbers_are_not_touched(learner, data):
    before = torch.get_rng_state()
    one = from_learner(learner, data).prob
    assert torch.equal(torch.get_rng_state(), before)
    torch.rand(3)
    assert (from_learner(learner, data).prob == one).all()


def test_names_of_classes(learner, data):
    assert list(from_learner(learner, data).classes) == ['0', '1']
    data.class_names = ['ham', 'spam']
    assert list(from_learner(learner, data).classes) == ['ham', 'spam']


def test_what_is_wrong_is_named(learner, data):
    with pytest.raises(ValueError, match="'data' must have 'y'"):
        from_learner(learner, Data(x=data.x))
    data.y = data.y + 5
    with pytest.raises(ValueError, match='classes below 2'):
        from_learner(learner, data)
