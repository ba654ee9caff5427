"""The edge probabilities are those of the learned graph and of predictions:
without dropout, in any mode.
"""

import pytest
import torch
from torch.nn import BatchNorm1d, Dropout, Linear, ReLU, Sequential
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import (
    AmortizedPosterior,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.analysis import moved_links

X = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))


def encoder():
    return Sequential(
        Linear(4, 16), BatchNorm1d(16), ReLU(), Dropout(0.5), Linear(16, 3)
    )


@pytest.fixture(params=['alone', 'in a sum'])
def learner(request, graph):
    posterior = AmortizedPosterior(encoder())
    if request.param == 'in a sum':
        posterior = posterior + FreePosterior()
    prior = SmoothedPrior(graph, 6, rho1=0.5)
    learner = VariationalGraphLearner(GCNConv(4, 2), prior, posterior)
    optimizer = torch.optim.SGD(learner.parameters(), lr=2.0)
    for _ in range(5):
        optimizer.zero_grad()
        out = learner(X, num_samples=2)
        y = torch.tensor([0, 0, 0, 1, 1, 1])
        learner.objective(out, y).loss.backward()
        optimizer.step()
    return learner


@pytest.mark.parametrize('training', [True, False])
def test_edge_probs_are_those_of_the_learned_graph(learner, training):
    learner.train(training)
    state = {k: v.clone() for k, v in learner.posterior.state_dict().items()}
    graph = learner.learned_graph(threshold=0.0, x=X)
    for _ in range(2):
        prob = learner.edge_probs(X)
        assert torch.equal(graph.edge_prob, torch.cat([prob, prob]))
    links = moved_links(learner, x=X)
    assert torch.equal(links.posterior, learner.edge_probs(X))
    # Nor is what batch normalisation remembers changed:
    for name, value in learner.posterior.state_dict().items():
        assert torch.equal(value, state[name]), name


def test_edge_probs_have_a_gradient(learner):
    learner.edge_probs(X).sum().backward()
    for name, parameter in learner.posterior.named_parameters():
        assert parameter.grad is not None, name
