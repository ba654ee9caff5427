"""The report of the one call."""

import re

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

import torch_geometric_vgcn as vgcn
from torch_geometric_vgcn.recipe import (
    Effort,
    FixedMember,
    LearnedMember,
    given_graph,
    nearest_neighbors,
    no_graph,
)
from torch_geometric_vgcn.report import report
from torch_geometric_vgcn.report.from_model import from_model

EVIL = '<script>alert(1)</script>'
MEMBERS = [
    FixedMember('no graph', no_graph),
    LearnedMember('near', nearest_neighbors),
    LearnedMember(f'both {EVIL}', given_graph, nearest_neighbors),
]


def make_data(**others):
    """Thirty nodes on a ring."""
    rng = torch.Generator().manual_seed(0)
    node = torch.arange(30)
    y = node // 10
    data = Data(x=torch.randn(30, 4, generator=rng), y=y)
    data.x[:, :3] += torch.nn.functional.one_hot(y)
    data.edge_index = torch.stack([node, (node + 1) % 30])
    data.train_mask, data.val_mask = node % 3 == 0, node % 3 == 1
    data.class_names = ['ham', EVIL, 'eggs']
    for name, value in others.items():
        data[name] = value
    return data


def make_model(**others):
    return vgcn.VGCN(
        make_data(**others),
        node_names=[f'node {n} {EVIL}' for n in range(30)],
        members=MEMBERS,
        effort=Effort(8, 8, warmup=2, folds=2, num_samples=2),
        progress=False,
    )


@pytest.fixture(scope='module')
def model():
    return make_model().fit()


def test_all_that_was_learned_is_found(model):
    findings = from_model(model)
    assert findings.prob == pytest.approx(model.predict().numpy())
    assert (findings.label >= 0).sum() == 20
    held = findings.held_out
    assert held.label.tolist() == model.task.y[model.task.val].tolist()
    assert 0 < held.nll < 2
    board = model.leaderboard()
    assert [t['setting'] for t in findings.trials] == board.member.tolist()
    assert [t['weight'] for t in findings.trials] == board.weight.tolist()
    assert findings.settings['Call'] == repr(model)


def test_edges_are_those_of_the_table(model):
    findings, table = from_model(model), model.edges()
    found = findings.edges
    likely = table[['prior', 'posterior']].max(axis=1) >= 0.01
    kept = table[table.given | likely]
    assert len(found) == len(kept)
    assert len(found) + findings.left_out == len(table)
    names = model.task.node_names
    ends = [[names[node] for node in row] for row in found.index]
    pairs = zip(*ends, strict=True)
    posterior = dict(zip(pairs, found.posterior, strict=True))
    for row in kept.itertuples():
        assert posterior[row.source, row.target] == row.posterior
    assert found.given.sum() == 30
    key = found.index[0] * 30 + found.index[1]
    assert (np.diff(key) > 0).all()


def test_labels_of_each_fold_are_held_out():
    findings = from_model(make_model(val_mask=None).fit())
    assert len(findings.held_out) == 10


def test_without_held_out_labels_nothing_is_measured():
    first = torch.arange(30) % 10 == 0  # of each class
    model = make_model(train_mask=first, val_mask=None).fit()
    findings = from_model(model)
    assert len(findings.held_out) == 0
    assert findings.trials == []


def test_the_page_has_names_and_weights_and_nothing_runs(model, tmp_path):
    path = model.report(tmp_path / 'out.html', title=f'Mine {EVIL}')
    text = path.read_text(encoding='utf-8')
    assert EVIL not in text
    for member, weight in model.weights_.items():
        line = text[text.index(member.split()[0].capitalize()) :]
        assert f'<td>{weight:.2f}' in line
    assert 'The members and their weights' in text
    assert not re.search('(src|href)="https?:', text)
    again = report(model, tmp_path / 'again.html', title=f'Mine {EVIL}')
    assert again.read_text(encoding='utf-8') == text


def test_a_loaded_model_has_the_same_report(model, tmp_path):
    model.save(tmp_path / 'model.pt')
    again = vgcn.VGCN.load(tmp_path / 'model.pt', make_data(), members=MEMBERS)
    path = tmp_path / 'out.html'
    want, have = (m.report(path).read_text() for m in (model, again))
    assert have == want


def test_a_report_needs_no_data(model, tmp_path):
    with pytest.raises(ValueError, match="'data' must be None"):
        report(model, tmp_path / 'out.html', Data())
    with pytest.raises(ValueError, match="'model' must be fitted"):
        report(make_model(), tmp_path / 'out.html')
