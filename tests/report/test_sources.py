r"""What the report shows is what the models say."""

import numpy as np
import pytest
import torch
from sklearn.base import clone
from torch_geometric.data import Data

from torch_geometric_vgcn import VGCN, AllPairs, evaluate
from torch_geometric_vgcn.recipe import (
    Effort,
    FixedMember,
    LearnedMember,
    given_graph,
    nearest_neighbors,
    no_graph,
)
from torch_geometric_vgcn.report.sources import (
    from_classifier,
    from_learner,
    from_model,
)


@pytest.fixture
def nodes(graph):
    return Data(
        x=torch.randn(6, 3),
        y=torch.tensor([0, 0, 0, 1, 1, 1]),
        edge_index=graph,
        train_mask=torch.tensor([1, 0, 0, 1, 0, 0]).bool(),
        val_mask=torch.tensor([1, 1, 0, 0, 1, 0]).bool(),
    )


def ring(**others):
    r"""A model of thirty nodes on a ring."""
    rng = torch.Generator().manual_seed(0)
    node = torch.arange(30)
    y = node // 10
    data = Data(x=torch.randn(30, 4, generator=rng), y=y)
    data.x[:, :3] += torch.nn.functional.one_hot(y)
    data.edge_index = torch.stack([node, (node + 1) % 30])
    data.train_mask, data.val_mask = node % 3 == 0, node % 3 == 1
    members = [
        FixedMember('no graph', no_graph),
        LearnedMember('near', nearest_neighbors),
        LearnedMember('both', given_graph, nearest_neighbors),
    ]
    return VGCN(
        data.update(others),
        node_names=[f'node {n}' for n in range(30)],
        members=members,
        effort=Effort(8, 8, warmup=2, folds=2, num_samples=2),
        progress=False,
    )


@pytest.fixture(scope='module')
def model():
    return ring().fit()


def test_classifier(fitted):
    findings = from_classifier(fitted)
    assert list(findings.classes) == ['blue', 'green', 'red']
    names = fitted.classes_[findings.predicted]
    assert (names == fitted.transduction_).all()
    tried = {member['member'] for member in findings.members}
    assert tried == set(fitted.leaderboard_['member'])
    assert findings.held_out.accuracy == pytest.approx(
        fitted.validation_score_
    )
    edges = findings.edges
    assert 2 * len(edges) >= fitted.graph_.nnz
    assert 2 * edges.given.sum() == fitted.given_graph_.nnz
    for (i, j), prior, posterior, given in zip(
        edges.index.T, edges.prior, edges.posterior, edges.given, strict=True
    ):
        assert prior == fitted.prior_graph_[i, j]
        assert posterior == fitted.graph_[i, j]
        assert given == (fitted.given_graph_[i, j] > 0)


def test_classifier_without_graph_and_held_out_labels(fitted):
    x = np.random.RandomState(0).randn(20, 3)
    y = np.where(np.arange(20) < 2, np.arange(20), -1)  # one of each class
    found = from_classifier(clone(fitted).set_params(max_iter=2).fit(x, y))
    assert not found.edges.given.any() and found.edges.candidate.all()
    assert len(found.held_out) == 0 and found.members == []


def test_model(model):
    findings, board = from_model(model), model.leaderboard()
    assert findings.prob == pytest.approx(model.predict().numpy())
    assert (findings.label >= 0).sum() == 20
    held = findings.held_out
    assert held.label.tolist() == model.task.y[model.task.val].tolist()
    assert 0 < held.nll < 2
    for column in ('member', 'weight'):
        found = [member[column] for member in findings.members]
        assert found == board[column].tolist()
    assert findings.settings['Call'] == repr(model)


def test_edges_of_the_model_are_those_of_its_table(model):
    findings, table = from_model(model), model.edges()
    found = findings.edges
    likely = table[['prior', 'posterior']].max(axis=1) >= 0.01
    kept = table[table.given | likely]
    assert len(found) == len(kept)
    assert len(found) + found.left_out == len(table)
    names = model.task.node_names
    ends = [[names[node] for node in row] for row in found.index]
    pairs = zip(*ends, strict=True)
    posterior = dict(zip(pairs, found.posterior, strict=True))
    for row in kept.itertuples():
        assert posterior[row.source, row.target] == row.posterior
    assert found.given.sum() == 30
    key = found.index[0] * 30 + found.index[1]
    assert (np.diff(key) > 0).all()


def test_labels_of_each_fold_are_held_out_or_none():
    assert len(from_model(ring(val_mask=None).fit()).held_out) == 10
    first = torch.arange(30) % 10 == 0  # of each class
    findings = from_model(ring(train_mask=first, val_mask=None).fit())
    assert len(findings.held_out) == 0 and findings.members == []


def test_learner(learner, nodes):
    findings = from_learner(learner, nodes)
    edges = findings.edges
    assert edges.index.T.tolist() == learner.prior.pairs.index.t().tolist()
    assert edges.prior == pytest.approx([0.25] * 7)
    assert edges.posterior == pytest.approx(
        [0.9, 0.8, 0.26, 0.05, 0.7, 0.23, 0.25], abs=1e-6
    )
    assert edges.given.all() and not edges.has_new
    assert list(findings.classes) == ['0', '1']
    nodes.class_names = ['ham', 'spam']
    assert list(from_learner(learner, nodes).classes) == ['ham', 'spam']


def test_labels_that_trained_a_learner_do_not_measure_it(learner, nodes):
    findings = from_learner(learner, nodes)
    assert findings.label.tolist() == [0, 0, -1, 1, 1, -1]
    prob = torch.from_numpy(findings.prob)
    accuracy, nll = evaluate(prob, nodes.y, torch.tensor([1, 4]))
    assert len(findings.held_out) == 2  # not node 0, of both masks
    assert findings.held_out.accuracy == pytest.approx(accuracy)
    assert findings.held_out.nll == pytest.approx(nll)
    y = torch.tensor([0, -1, -1, 1, -1, -1])
    findings = from_learner(learner, Data(x=nodes.x, y=y))
    assert findings.label.tolist() == y.tolist()
    assert len(findings.held_out) == 0


def test_of_all_pairs_the_improbable_ones_are_left_out(learner_with, nodes):
    probs = (0.9, 0.8, 0.26, 0.05, 0.7, 0.23, 0.25)
    made = learner_with(*probs, pairs=AllPairs(6))
    with torch.no_grad():
        made.posterior.offset[3] += 12.0  # a pair that was not observed
    edges = from_learner(made, nodes).edges
    assert len(edges) == 8 and edges.left_out == 15 - 8
    assert edges.index[:, edges.strongest(50)].T.tolist() == [[0, 4]]


def test_random_numbers_are_not_touched(learner, nodes):
    before = torch.get_rng_state()
    one = from_learner(learner, nodes).prob
    assert torch.equal(torch.get_rng_state(), before)
    torch.rand(3)
    assert (from_learner(learner, nodes).prob == one).all()


def test_what_is_wrong_with_data_is_named(learner, nodes):
    with pytest.raises(ValueError, match="'data' must have 'y'"):
        from_learner(learner, Data(x=nodes.x))
    nodes.y = nodes.y + 5
    with pytest.raises(ValueError, match='classes below 2'):
        from_learner(learner, nodes)
