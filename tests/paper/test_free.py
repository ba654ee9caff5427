import pytest
import torch
from systems.free import FreeAdam, FreeFrozen, FreeSGD


@pytest.mark.parametrize('system', [FreeSGD, FreeAdam, FreeFrozen])
def test_only_a_learned_posterior_leaves_the_prior(communities, system):
    outcome = system().train(communities, seed=0, rho1=0.5, epochs=40)
    hit = outcome.prob.argmax(-1) == communities.truth
    assert hit.float().mean() > 0.7
    graph = outcome.graph
    moved = (graph.posterior - graph.prior).abs()
    assert bool(moved.max() > 0.01) == (system is not FreeFrozen)
    again = system().train(communities, seed=0, rho1=0.5, epochs=40)
    assert torch.equal(again.prob, outcome.prob)
