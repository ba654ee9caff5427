import pytest
import torch
from systems.gcn import GCN
from systems.gcn_on_knn import GCNOnKNN
from systems.vgcn import VGCN
from systems.vgcn_discrete import VGCNDiscrete
from systems.vgcn_frozen import VGCNFrozen
from systems.vgcn_low_rank import VGCNLowRank
from systems.vgcn_relaxed import VGCNRelaxed, VGCNRelaxed3
from systems.vgcn_smoothed import VGCNSmoothed

from torch_geometric_vgcn import VariationalGraphLearner


@pytest.mark.parametrize(
    'system',
    [
        VGCN,
        VGCNFrozen,
        VGCNSmoothed,
        VGCNRelaxed,
        VGCNRelaxed3,
        VGCNLowRank,
        VGCNDiscrete,
    ],
)
def test_finds_communities_from_a_few_labels(communities, system):
    settings = {**system.quick, 'rho1': 0.9, 'epochs': 60}
    outcome = system().train(communities, seed=0, **settings)
    hit = outcome.prob.argmax(-1) == communities.truth
    assert hit.float().mean() > 0.8
    assert outcome.prob.sum(-1).allclose(torch.ones(60))
    assert outcome.history[outcome.epoch] == outcome.val_acc
    again = system().train(communities, seed=0, **settings)
    assert torch.equal(again.prob, outcome.prob)


@pytest.mark.parametrize('system', [VGCN, VGCNFrozen])
def test_a_frozen_posterior_stays_at_the_prior(communities, system):
    settings = {**system.quick, 'epochs': 5}
    graph = system().train(communities, seed=0, **settings).graph
    assert graph.index.shape == (2, communities.num_edges // 2)
    moved = not torch.equal(graph.posterior, graph.prior)
    assert moved == (system is VGCN)


def test_gcn_on_knn_ignores_the_given_graph(communities):
    settings = {**GCN.quick, 'epochs': 5}
    outcome = GCNOnKNN().train(communities, seed=0, **settings)
    communities.edge_index = communities.edge_index[:, :2]
    again = GCNOnKNN().train(communities, seed=0, **settings)
    assert torch.equal(again.prob, outcome.prob)


def test_the_smoothed_prior_ignores_features(communities, monkeypatch):
    seen = []

    class Spy(VariationalGraphLearner):
        def __init__(self, net, prior, **options):
            seen.append(prior)
            super().__init__(net, prior, **options)

    monkeypatch.setattr('systems.vgcn.VariationalGraphLearner', Spy)
    for system in (VGCN, VGCNSmoothed):
        system().train(communities, 0, **{**system.quick, 'epochs': 1})
    ours, smoothed = (prior.logits for prior in seen)
    assert smoothed.unique().numel() == 1
    assert ours.unique().numel() > 10
