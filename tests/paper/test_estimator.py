import pytest
import torch
from systems.estimator import (
    Estimator,
    EstimatorFeatures,
    EstimatorFrozen,
    EstimatorTrusting,
)

QUICK = {'hidden': 16, 'max_iter': 30}


@pytest.mark.parametrize('system', [Estimator, EstimatorFrozen])
def test_finds_communities_from_a_few_labels(communities, system):
    outcome = system().train(communities, seed=0, **QUICK)
    hit = outcome.prob.argmax(-1) == communities.truth
    assert hit.float().mean() > 0.7
    assert outcome.prob.sum(-1).allclose(torch.ones(60))
    assert 0.5 < outcome.val_acc <= 1


def test_only_systems_that_see_the_graph_depend_on_it(communities):
    changed = communities.clone()
    changed.edge_index = communities.edge_index[:, :6]
    for system, depends in (
        (EstimatorTrusting, True),
        (EstimatorFeatures, False),
    ):
        first, other = (
            system().train(data, seed=0, **QUICK).prob
            for data in (communities, changed)
        )
        assert torch.equal(first, other) != depends
    assert communities.num_edges > 6
