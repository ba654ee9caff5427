"""The learned graph: the mean of the members' by their weights."""

import pytest
import torch

from torch_geometric_vgcn.recipe.edges import edges_of


def test_probabilities_are_the_weighted_mean(fitted):
    """Pair by pair, from dense matrices."""
    size = fitted.task.num_nodes
    wanted = torch.zeros(size, size, dtype=torch.double)
    for name in ('near', 'given'):
        runs = fitted.learners_[name]
        for learner in runs:
            i, j = learner.prior.pairs.index
            prob = learner.edge_probs().detach().double()
            wanted[i, j] += fitted.weights_[name] / len(runs) * prob
    edges = fitted.edges()
    i, j = (torch.tensor(edges[k].tolist()) for k in ('source', 'target'))
    found = torch.tensor(edges['posterior'].tolist()).double()
    torch.testing.assert_close(found, wanted[i, j])
    assert float(wanted.sum()) == pytest.approx(float(found.sum()))


def test_given_edges_are_marked(fitted, blocks):
    edges = fitted.edges()
    given = edges[edges.given]
    found = set(zip(given.source, given.target, strict=True))
    low, high = blocks.edge_index.sort(dim=0).values
    assert found == set(zip(low.tolist(), high.tolist(), strict=True))


def test_the_most_contradicted_come_first(fitted):
    edges = fitted.edges()
    doubt = (edges.given - edges.posterior).abs()
    assert doubt.is_monotonic_decreasing


def test_learning_moves_them(fitted):
    edges = fitted.edges()
    assert (edges.prior - edges.posterior).abs().max() > 1e-3


@pytest.mark.parametrize('threshold', [0.0, 0.3, 0.6])
def test_the_graph_has_all_edges_from_a_threshold_on(fitted, threshold):
    graph = fitted.learned_graph(threshold)
    edges = fitted.edges()
    assert graph.num_nodes == 60
    assert graph.edge_index.size(1) == 2 * (edges.posterior >= threshold).sum()
    assert graph.is_undirected()
    assert bool((graph.edge_prob >= threshold).all())


def test_a_fixed_graph_is_certain_and_no_graph_empty(fitted):
    task, learners = fitted.task, fitted.learners_
    fixed = fitted.members[0].learner(task)
    fixed.edge_index = task.edge_index
    both = {'no graph': learners['no graph'], 'fixed': [fixed]}
    edges = edges_of(both, {'no graph': 0.75, 'fixed': 0.25}, task)
    assert bool(edges.given.all())
    assert edges.posterior.unique().tolist() == [0.25]
