r"""Each system of the paper's experiments learns."""

import pytest
import torch
from torch.nn.functional import one_hot

from benchmarks.paper.systems import SYSTEMS

#: What makes training short, or suits 60 nodes.
SHORT = {
    'EGCN': {'epochs': 200, 'num_graphs': 5},
    'GAT': {'epochs': 50},
    'GCN-SVD': {'epochs': 100, 'rank': 2},
    'GGP': {'looks': 30},
    'LDS': {},
    'RGCN': {'epochs': 50},
    'SAGE': {'epochs': 50},
}
FEATURES_ONLY = ('MLP', 'GCN on kNN', 'Recipe: MLP')


def trained(name, data, **more):
    system = SYSTEMS[name]
    if name == 'GGP':
        pytest.importorskip('gpytorch')
    settings = {**system.settings[0], **SHORT.get(name, {'epochs': 60})}
    if 'rho1' in settings:
        settings['rho1'] = max(0.9, settings['rho1'])
    return system.train(data, seed=0, **{**settings, **more})


@pytest.mark.parametrize('name', SYSTEMS)
def test_finds_communities_from_a_few_labels(communities, name):
    if name in FEATURES_ONLY or 'prior' in name:
        # A classifier must be able to tell the classes without the graph:
        communities.x += 2 * one_hot(communities.truth, 20)
    if name == 'GCN-Jaccard':
        communities.x *= one_hot(communities.truth).repeat(1, 10)
    before = communities.clone()
    outcome = trained(name, communities)
    assert torch.equal(communities.x, before.x)
    assert torch.equal(communities.edge_index, before.edge_index)
    hit = outcome.prob.argmax(-1) == communities.truth
    assert hit.float().mean() > 0.7
    assert outcome.prob.shape == (60, 2)
    assert torch.allclose(outcome.prob.sum(-1), torch.ones(60))
    assert 0 < outcome.val_acc <= 1
    graph = outcome.graph
    if graph is None:
        return
    fixed = ('frozen', 'given graph', 'prior mean', 'DropEdge')
    same = torch.equal(graph.posterior, graph.prior)
    assert same == any(word in name for word in fixed)


@pytest.mark.parametrize(
    'name, short',
    [
        ('EGCN', {'epochs': 5, 'graph_epochs': 5}),
        ('GGP', {'looks': 2}),
        ('LDS', {'epochs': 3}),
        ('Recipe: learned', {'epochs': 3}),
        ('VGCN discrete', {'epochs': 3}),
    ],
)
def test_the_same_seed_gives_the_same_result(communities, name, short):
    first, again = (trained(name, communities, **short) for _ in range(2))
    assert torch.equal(again.prob, first.prob)


@pytest.mark.parametrize('name', FEATURES_ONLY)
def test_systems_without_a_graph_ignore_it(communities, name):
    first = trained(name, communities, epochs=5)
    communities.edge_index = communities.edge_index[:, :7]
    again = trained(name, communities, epochs=5)
    assert torch.equal(again.prob, first.prob)


def test_the_controls_have_the_priors_they_are_named_after(communities):
    def prior(name, **settings):
        return SYSTEMS[f'Recipe: {name}'].prior(communities, **settings)

    some = {'rho1': 0.9, 'evidence': 1.0}
    frozen, equal = (
        prior(name, **some).logits.sigmoid() for name in ('frozen', 'DropEdge')
    )
    assert torch.equal(frozen, prior('learned', **some).logits.sigmoid())
    assert frozen.unique().numel() > 10 and equal.unique().numel() == 1
    assert equal[0].item() == pytest.approx(frozen.mean().item(), abs=1e-5)
    given = SYSTEMS['Recipe: given graph'].settings[0]
    assert prior('given graph', **given).logits.sigmoid().min() > 0.9999
    plain = SYSTEMS['Recipe: learned, smoothed'].settings[0]
    logits = prior('learned, smoothed', **plain).logits
    assert logits.allclose(torch.zeros_like(logits))


def test_hard_edges_or_their_mean(communities):
    weights = {}
    for name in ('prior mean', 'DropEdge'):
        recipe = SYSTEMS[f'Recipe: {name}']
        model = recipe.model(communities, rho1=0.9, evidence=1.0)
        model(communities.x)
        weights[name] = model.sample.weight.detach().view(-1)
    mean = model.prior.logits.sigmoid().mean().item()
    assert weights['prior mean'].mean().item() == pytest.approx(mean, abs=1e-5)
    assert set(weights['DropEdge'].round(decimals=5).tolist()) == {0.0, 1.0}
