import pytest
import torch
from cases import Case
from systems.base import Outcome
from systems.learned_graph import LearnedGraph
from torch_geometric.data import Data

pytest.importorskip('sklearn')

from scores import recovery, scores

from torch_geometric_vgcn import evaluate
from torch_geometric_vgcn.pairs import Candidates

KNN = Case('Cora', 'knn')


def masks(n, train, val):
    place = torch.arange(n)
    return {
        'train_mask': place < train,
        'val_mask': (place >= train) & (place < train + val),
        'test_mask': place >= train + val,
    }


def test_scores_are_those_of_test_nodes_and_the_temperature_is_not():
    y = torch.arange(400) % 2
    right = torch.arange(400) // 2 % 10 < 8  # 80 % of each class
    confident = torch.where(right == (y == 1), 0.99, 0.01)
    prob = torch.stack([1 - confident, confident], dim=1)
    data = Data(y=y, num_nodes=400, **masks(400, 40, 160))
    got = scores(KNN, 0, data, Outcome(prob, 0.8, 0))
    assert set(got) == {
        'temperature', 'test_nll', 'test_ece', 'scaled_nll', 'scaled_ece'
    }  # fmt: skip
    assert got['test_nll'] == evaluate(prob, y, data.test_mask)[1]
    assert got['test_ece'] == pytest.approx(0.19, abs=1e-3)
    # Validation nodes tell how much too sure the predictions are:
    odds = torch.tensor([0.99, 0.8]).logit()
    # (the prior of the temperature holds it back a little)
    assert got['temperature'] == pytest.approx(
        float(odds[0] / odds[1]), rel=0.1
    )
    assert got['scaled_ece'] < 0.03 and got['scaled_nll'] < got['test_nll']
    # Other test labels change the scores, but not the temperature:
    data.y = y.where(~data.test_mask, 1 - y)
    other = scores(KNN, 0, data, Outcome(prob, 0.8, 0))
    assert other['temperature'] == got['temperature']
    assert other['test_nll'] > got['test_nll']


def test_on_a_knn_graph_a_pair_of_one_class_is_true():
    y = torch.tensor([0, 0, 1, 1, 0])
    index = torch.tensor([[0, 0, 1, 2, 3], [1, 2, 2, 3, 4]])
    prior = torch.tensor([0.9, 0.5, 0.5, 0.5, 0.5])
    posterior = torch.tensor([0.0, 0.2, 0.1, 0.9, 0.3])
    # Only 2-3 is true; 0-1 isn't looked at, as both are training nodes:
    data = Data(y=y, num_nodes=5, **masks(5, 2, 1))
    got = recovery(KNN, 0, data, LearnedGraph(index, prior, posterior))
    assert got == {
        'prior_auc': 0.5, 'prior_ap': 0.25, 'prior_false_ap': 0.75,
        'posterior_auc': 1.0, 'posterior_ap': 1.0, 'posterior_false_ap': 1.0,
    }  # fmt: skip
    data.y = torch.zeros(5, dtype=torch.long)
    assert recovery(KNN, 0, data, LearnedGraph(index, prior, prior)) == {}


def test_with_edges_added_the_edges_of_the_true_graph_are_true(cora):
    case = Case('Cora', 'add_500')
    data = case.load(0)
    pairs = Candidates(data.edge_index, data.num_nodes)
    truth = pairs.contains(cora.edge_index)
    assert len(pairs) - int(truth.sum()) == 500
    graph = LearnedGraph(pairs.index, 1 - truth.double(), truth.double())
    got = recovery(case, 0, data, graph)
    assert got['prior_auc'] == 0 and got['posterior_auc'] == 1
    assert got['posterior_ap'] == 1
    for graph_name in ('true', 'remove_500'):
        assert recovery(Case('Cora', graph_name), 0, data, graph) == {}


def test_added_edges_of_an_attack_are_false(cora):
    case = Case('Cora', 'similar_0.05')
    data = case.load(0)
    pairs = Candidates(data.edge_index, data.num_nodes)
    truth = pairs.contains(cora.edge_index)
    share = 1 - truth.double().mean()
    graph = LearnedGraph(pairs.index, 0.5 + 0 * truth, truth.double())
    got = recovery(case, 0, data, graph)
    assert got['prior_auc'] == 0.5 and got['posterior_auc'] == 1
    assert got['prior_false_ap'] == pytest.approx(float(share))
    assert got['posterior_false_ap'] == 1
    words = Case('Cora', 'words_0.1')
    assert recovery(words, 0, data, graph) == {}
