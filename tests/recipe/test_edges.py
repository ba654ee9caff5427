"""Which pairs there are, and where their probabilities come from."""

import pytest
import torch
from torch_geometric.data import Data

from torch_geometric_vgcn.recipe import (
    Effort,
    FixedMember,
    LearnedMember,
    given_graph,
    no_graph,
)
from torch_geometric_vgcn.recipe.edges import edges_of


def pairs_of(frame):
    return torch.tensor(frame[['source', 'target']].to_numpy()).t()


def test_other_pairs_have_the_mean_of_members_that_learn_them(fitted):
    """Pair by pair, from dense matrices."""
    size = fitted.task.num_nodes
    total = torch.zeros(2, size, size, dtype=torch.double)
    for name in ('near', 'given'):
        runs = fitted.learners_[name]
        for learner in runs:
            i, j = learner.prior.pairs.index
            weight = fitted.weights_[name] / len(runs)
            total[0, i, j] += weight
            total[1, i, j] += weight * learner.edge_probs().detach().double()
    edges = fitted.edges()
    other = edges[~edges.given]
    weight, wanted = total[:, *pairs_of(other)]
    assert bool((weight > 0).all()) and len(other) > 100
    found = torch.tensor(other.posterior.tolist()).double()
    torch.testing.assert_close(found, wanted / weight)


def test_the_prior_of_given_edges_is_the_share_of_right_ones(fitted):
    edges = fitted.edges()
    given = edges[edges.given]
    assert given.prior.nunique() == 1
    assert given.posterior.mean() == pytest.approx(given.prior[:1], abs=0.02)


def test_edges_inside_blocks_are_found(fitted, blocks):
    """Nearly all edges are inside blocks: others look like false ones."""
    given = fitted.edges().query('given')
    found = set(zip(given.source, given.target, strict=True))
    low, high = blocks.edge_index.sort(dim=0).values
    assert found == set(zip(low.tolist(), high.tolist(), strict=True))
    same = blocks.y[pairs_of(given)].diff(dim=0)[0] == 0
    prob = torch.tensor(given.posterior.tolist())
    assert prob[same].median() > 0.9
    assert prob[~same].median() < prob[same].median() - 0.2


def test_no_other_member_moves_given_edges(blocks, model_of):
    """Members that were trained on an edge take it for granted."""
    alone = FixedMember('no graph', no_graph)
    graph = FixedMember('graph', given_graph)
    once = {'effort': Effort(6, 6, warmup=2, runs=1, num_samples=2)}
    one = model_of(blocks, members=[alone], **once).fit().edges()
    two = model_of(blocks, members=[graph, alone], **once).fit().edges()
    assert one.equals(two)


def test_the_most_contradicted_come_first(fitted):
    edges = fitted.edges()
    doubt = (edges.given - edges.posterior).abs()
    assert doubt.is_monotonic_decreasing


@pytest.mark.parametrize('threshold', [0.0, 0.3, 0.6])
def test_the_graph_has_all_edges_from_a_threshold_on(fitted, threshold):
    graph = fitted.learned_graph(threshold)
    edges = fitted.edges()
    some = edges.posterior >= max(threshold, 1e-12)
    assert graph.num_nodes == 60
    assert graph.edge_index.size(1) == 2 * some.sum()
    assert graph.is_undirected()
    assert bool((graph.edge_prob >= threshold).all())


def test_members_without_weight_still_have_probabilities(fitted):
    weight = dict.fromkeys(fitted.weights_, 0.0) | {'no graph': 1.0}
    edges = edges_of(fitted.learners_, weight, fitted.task)
    other = edges.posterior[~edges.given]
    assert bool(((other > 0) & (other < 1)).all())
    assert other.unique().numel() > 100


def few_edges(count):
    """A path: so many edges tell nothing about each other."""
    path = torch.arange(count + 1)
    torch.manual_seed(0)
    return Data(
        x=torch.randn(count + 1, 3),
        y=path % 2,
        edge_index=torch.stack([path[:-1], path[1:]]),
        train_mask=path < 4,
        val_mask=path >= 4,
    )


@pytest.mark.parametrize('count', [5, 50])
def test_of_few_edges_members_decide(count, model_of):
    """Those that learn the given graph: no other knows these pairs."""
    members = [
        FixedMember('no graph', no_graph),
        LearnedMember('given', given_graph, rho1=0.9),
    ]
    model = model_of(few_edges(count), members=members).fit()
    edges = model.edges().sort_values('source')
    runs = model.learners_['given']
    mean = torch.stack([learner.edge_probs() for learner in runs]).mean(dim=0)
    found = torch.tensor(edges.posterior.tolist())
    torch.testing.assert_close(found, mean.detach())
    assert bool(edges.given.all()) and len(edges) == count
