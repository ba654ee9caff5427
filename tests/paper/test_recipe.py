import pytest
import torch
from systems.recipe import with_unit_rows
from systems.recipe_degrees import RecipeDegrees
from systems.recipe_drop_edge import RecipeDropEdge
from systems.recipe_fitted import (
    RecipeCautious,
    RecipeFitted,
    RecipeFittedFrozen,
)
from systems.recipe_frozen import RecipeFrozen, RecipeFrozenSmoothed
from systems.recipe_given_graph import RecipeGivenGraph
from systems.recipe_learned import RecipeLearned, RecipeLearnedSmoothed
from systems.recipe_mlp import RecipeMLP
from systems.recipe_prior_mean import RecipePriorMean
from systems.recipe_sage import RecipeSAGE
from torch_geometric.utils import degree

from torch_geometric_vgcn.prior import negative_distance

LEARNED = [
    RecipeLearned,
    RecipeLearnedSmoothed,
    RecipeFitted,
    RecipeCautious,
    RecipeDegrees,
]
FROZEN = [
    RecipeFrozen,
    RecipeFrozenSmoothed,
    RecipeFittedFrozen,
    RecipePriorMean,
    RecipeDropEdge,
    RecipeGivenGraph,
]
FITTED = [RecipeFitted, RecipeFittedFrozen, RecipeCautious]
PRIOR = {'rho1': 0.9, 'evidence': 1.0}


def with_telling_features(data):
    r"""A classifier must be able to tell the classes without the graph."""
    data.x = data.x + 2 * torch.nn.functional.one_hot(
        data.truth, data.x.size(1)
    )
    return data


@pytest.mark.parametrize('system', [*LEARNED, *FROZEN, RecipeSAGE])
def test_finds_communities_from_a_few_labels(communities, system):
    if system in FITTED:
        communities = with_telling_features(communities)
    settings = {**system.quick, 'epochs': 60}
    if 'rho1' in settings:
        settings['rho1'] = max(0.9, settings['rho1'])
    outcome = system().train(communities, seed=0, **settings)
    hit = outcome.prob.argmax(-1) == communities.truth
    assert hit.float().mean() > 0.7
    assert outcome.prob.sum(-1).allclose(torch.ones(60))
    assert outcome.history[outcome.epoch] == outcome.val_acc


@pytest.mark.parametrize('system', [RecipeLearned, RecipeSAGE])
def test_the_same_seed_gives_the_same_result(communities, system):
    settings = {**system.quick, 'epochs': 3}
    first, again = (
        system().train(communities, seed=0, **settings) for _ in range(2)
    )
    assert torch.equal(again.prob, first.prob)


@pytest.mark.parametrize('system', [*LEARNED, *FROZEN])
def test_only_the_learned_posterior_leaves_the_prior(communities, system):
    if system in FITTED:
        communities = with_telling_features(communities)
    settings = {**system.quick, 'epochs': 20}
    graph = system().train(communities, seed=0, **settings).graph
    assert graph.index.shape == (2, communities.num_edges // 2)
    moved = (graph.posterior - graph.prior).abs().max()
    if system in LEARNED:
        sure = system in (*FITTED, RecipeDegrees)
        assert moved > (1e-3 if sure else 0.05)
    else:
        assert torch.equal(graph.posterior, graph.prior)


def test_the_controls_have_the_priors_they_are_named_after(communities):
    def prior(system, **settings):
        return system().prior(communities, **settings).logits.sigmoid()

    frozen, dropped = (
        prior(RecipeFrozen, **PRIOR),
        prior(RecipeDropEdge, **PRIOR),
    )
    assert torch.equal(frozen, prior(RecipeLearned, **PRIOR))
    assert frozen.unique().numel() > 10
    assert dropped.unique().numel() == 1
    assert dropped[0].item() == pytest.approx(frozen.mean().item(), abs=1e-5)
    assert prior(RecipeGivenGraph, **RecipeGivenGraph.quick).min() > 0.9999
    smoothed = prior(RecipeLearnedSmoothed, **RecipeLearnedSmoothed.quick)
    assert smoothed.allclose(torch.tensor(0.5))


@pytest.mark.parametrize('system', [*LEARNED, *FROZEN])
def test_all_graphs_go_through_the_same_matrices(communities, system):
    if system in FITTED:
        communities = with_telling_features(communities)
    model = system().model(communities, **system.quick)
    model(communities.x, num_samples=3)
    assert str(model.route).startswith('matrix')


def test_hard_edges_or_their_mean(communities):
    weights = {}
    for system in (RecipePriorMean, RecipeDropEdge):
        model = system().model(communities, **PRIOR)
        model(communities.x)
        weights[system] = model.sample.weight.detach().view(-1)
    mean = RecipeFrozen().prior(communities, **PRIOR).logits.sigmoid()
    assert weights[RecipePriorMean].allclose(mean)
    assert set(weights[RecipeDropEdge].round(decimals=5).tolist()) == {
        0.0,
        1.0,
    }


def test_the_mlp_ignores_edges(communities):
    outcome = RecipeMLP().train(communities, seed=0, epochs=5)
    assert outcome.graph is None
    communities.edge_index = communities.edge_index[:, :7]
    other = RecipeMLP().train(communities, seed=0, epochs=5)
    assert torch.equal(outcome.prob, other.prob)


@pytest.mark.parametrize('system', [RecipeMLP, RecipeSAGE])
def test_passes_on_a_fixed_graph_differ_by_dropout_only(communities, system):
    model, x = system().model(communities), communities.x
    out = model(x, num_samples=3)
    assert out.shape == (3, 60, 2) and not torch.equal(out[0], out[1])
    mask, y = communities.train_mask, communities.y
    bound = model.objective(out, y, mask)
    each = [model.objective(one, y, mask).log_likelihood for one in out]
    mean = torch.stack(each).mean()
    torch.testing.assert_close(bound.log_likelihood, mean)
    model.eval()
    assert torch.equal(model(x, num_samples=3), model(x))
    assert model.predict(x, num_samples=16).shape == (60, 2)


def test_rows_have_unit_norm_unless_they_are_standardised(communities):
    before = communities.x.clone()
    assert with_unit_rows(communities).x.norm(dim=-1).allclose(torch.ones(60))
    assert torch.equal(communities.x, before)  # a copy was scaled
    communities.x = before - before.mean(dim=0)
    assert torch.equal(with_unit_rows(communities).x, communities.x)
    # Their similarity is a distance:
    prior = RecipeFrozen().prior(communities, **PRIOR)
    value = negative_distance(communities.x, prior.pairs)
    assert torch.equal(prior.logits.argsort(), value.argsort())


def test_degrees_are_evidence(communities):
    prior = RecipeDegrees().prior(communities, rho1=0.5, evidence=2.0)
    size = degree(communities.edge_index[0], 60)
    row, col = prior.pairs.index
    order = (size[row] + 1) * (size[col] + 1)
    assert (prior.logits[order.argsort()].diff() > -1e-5).all()
