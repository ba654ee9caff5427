import torch
from systems.egcn import EGCN


def test_finds_communities_from_a_few_labels(communities):
    settings = {**EGCN.quick, 'epochs': 200, 'num_graphs': 5}
    outcome = EGCN().train(communities, seed=0, **settings)
    assert outcome.prob.shape == (60, 2)
    assert torch.allclose(outcome.prob.sum(-1), torch.ones(60))
    assert (outcome.prob.argmax(-1) == communities.truth).float().mean() > 0.8
    assert len(outcome.history) == 5
    assert outcome.history[outcome.epoch] == outcome.val_acc


def test_the_same_seed_gives_the_same_result(communities):
    settings = {**EGCN.quick, 'epochs': 5, 'graph_epochs': 5}
    first, second, other = (
        EGCN().train(communities, seed=seed, **settings).prob
        for seed in (0, 0, 1)
    )
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


def test_does_not_change_the_data(communities):
    before = communities.clone()
    EGCN().train(communities, 0, **EGCN.quick, epochs=1, num_graphs=1)
    assert torch.equal(communities.x, before.x)
    assert torch.equal(communities.edge_index, before.edge_index)
