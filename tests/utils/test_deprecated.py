"""What was written for former names works, and warns."""

import pytest
import torch
from torch.nn import Parameter
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import (
    ELBO,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn import sample as samples
from torch_geometric_vgcn.objective import KL, BernoulliKL
from torch_geometric_vgcn.posterior import Posterior
from torch_geometric_vgcn.sample import (
    BinaryConcrete,
    GraphSample,
    PosteriorMean,
)

GRAPH = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]])


@pytest.fixture
def prior():
    return SmoothedPrior(GRAPH, 5)


def test_a_posterior_with_the_former_methods(prior):
    with pytest.warns(DeprecationWarning, match="Shifted.logits.*'forward'"):

        class Shifted(Posterior):
            def start_at(self, prior):
                self.shift = Parameter(torch.ones(()))

            def logits(self, prior, x):
                return prior.logits + self.shift

    learner = VariationalGraphLearner(GCNConv(2, 2), prior, Shifted())
    expected = (prior.logits + 1).sigmoid()
    assert torch.equal(learner.edge_probs(), expected)


def test_a_sampler_with_the_former_method(prior):
    with pytest.warns(DeprecationWarning, match="Halved.sample.*'forward'"):

        class Halved(PosteriorMean):
            def sample(self, prior, logits, noise):
                weight = logits.sigmoid().expand(len(noise), -1) / 2
                return GraphSample(prior, logits, weight)

    sampler = Halved()
    noise = sampler.noise(prior, 1)
    weight = sampler(prior, prior.logits, noise).weight
    assert torch.equal(weight[0], prior.probs / 2)


def test_a_divergence_with_the_former_method(prior):
    with pytest.warns(DeprecationWarning, match="None_.divergence.*'forward'"):

        class None_(KL):
            def divergence(self, sample, weight=None):
                return sample.logits.new_zeros(len(sample))

    weight = torch.zeros(1, len(prior.pairs))
    sample = GraphSample(prior, prior.logits, weight)
    bound = ELBO(None_())(torch.zeros(1, 3), sample)
    assert bound.kl == 0


def test_former_methods_of_posteriors(prior):
    posterior = FreePosterior()
    with pytest.warns(DeprecationWarning, match="use 'initialize_from'"):
        posterior.start_at(prior)
    with pytest.warns(DeprecationWarning, match='the call of the posterior'):
        assert torch.equal(posterior.logits(prior), prior.logits)


def test_the_former_choice_of_an_objective():
    with pytest.warns(DeprecationWarning, match='default_objective'):
        objective = PosteriorMean().default_objective()
    assert isinstance(objective, ELBO)
    assert isinstance(objective.kl, BernoulliKL)
    assert objective.settled


def test_former_names_of_samples(prior):
    sampler = BinaryConcrete()
    sample = sampler(prior, prior.logits, sampler.noise(prior, 2))
    with pytest.warns(DeprecationWarning, match='sample.GraphSample'):
        assert isinstance(sample, samples.RelaxedSample)
    with pytest.warns(DeprecationWarning, match='sample.BackgroundEdges'):
        assert isinstance(sample.background, samples.Edges)
