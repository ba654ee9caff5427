import pytest
import torch
from torch.nn import Linear
from torch_geometric.nn import GCN, GCNConv

from torch_geometric_vgcn import (
    AllPairs,
    AmortizedPosterior,
    FixedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.analysis import moved_links
from torch_geometric_vgcn.transforms import PoisonGraph


def test_counts_by_hand(learner, data):
    links = moved_links(learner, 0.015, added_pairs=data.added_pairs)
    assert links.moved.tolist() == [True, True, False, True, True, True, False]
    assert links.counts() == {
        'links': 7,
        'moved': 5,
        'moved_up': 3,
        'moved_down': 2,
        'above_half_before': 0,
        'above_half': 3,
        'added': 1,
        'added_moved': 1,
        'added_above_half_before': 0,
        'added_above_half': 0,
    }
    assert str(links) == '5 of 7 links moved by more than 0.015'
    assert torch.allclose(links.change[0], torch.tensor(0.65))
    assert not links.posterior.requires_grad


def test_nothing_has_moved_before_training(learner):
    learner.reset_parameters()
    counts = moved_links(learner, min_change=0).counts()
    assert counts['links'] == 7
    assert counts['moved'] == counts['added'] == 0


def test_all_pairs_count_the_same_links(learner_with, learner, data):
    probs = learner.edge_probs().tolist()
    dense = learner_with(*probs, pairs=AllPairs(6))
    few = moved_links(learner, added_pairs=data.added_pairs).counts()
    all_ = moved_links(dense, added_pairs=data.added_pairs).counts()
    # The other pairs start at 1e-5 and have stayed there:
    assert all_ == {**few, 'links': 15}


def test_added_pairs_that_are_no_candidates_do_not_count(learner):
    added = torch.tensor([[0, 2], [5, 3]])
    assert moved_links(learner, added_pairs=added).counts()['added'] == 1
    none = torch.empty(2, 0, dtype=torch.long)
    assert moved_links(learner, added_pairs=none).counts()['added'] == 0


def test_a_posterior_that_sees_the_features(graph):
    prior = SmoothedPrior(graph, 6)
    posterior = AmortizedPosterior(Linear(3, 4))
    learner = VariationalGraphLearner(GCNConv(3, 2), prior, posterior)
    x = torch.randn(6, 3)
    with torch.no_grad():
        for parameter in posterior.parameters():
            parameter.normal_()
    links = moved_links(learner, x=x)
    assert torch.equal(links.posterior, learner.edge_probs(x))
    assert links.counts()['moved'] > 0


def test_training_turns_off_more_added_pairs_than_others(citeseer):
    data = PoisonGraph(add=5000)(citeseer)
    prior = SmoothedPrior(data.edge_index, data.num_nodes)
    net = GCN(data.num_features, 16, 2, 6, dropout=0.5)
    learner = VariationalGraphLearner(net, prior)
    data.x = data.x.to_sparse_csr()
    fit(learner, data, epochs=60, lr=0.02, logit_lr=0.05, progress=False)
    links = moved_links(learner, added_pairs=data.added_pairs)
    counts = links.counts()
    assert counts['links'] == 9552 and counts['added'] == 5000
    assert counts['moved'] == counts['moved_up'] + counts['moved_down']
    assert counts['moved'] > 1000
    added, own = links.change[links.added], links.change[~links.added]
    assert added.mean() < own.mean()


def test_errors(graph, learner):
    with pytest.raises(TypeError, match="'learner' must be a Variational"):
        moved_links(FixedGraph(GCNConv(3, 2), graph))
    with pytest.raises(ValueError, match="'min_change' must lie between"):
        moved_links(learner, min_change=-0.1)
    with pytest.raises(ValueError, match="'added_pairs' must hold node ids"):
        moved_links(learner, added_pairs=torch.tensor([[0], [9]]))
