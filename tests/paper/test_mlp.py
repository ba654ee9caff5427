import torch
from systems.mlp import MLP


def test_ignores_edges(communities):
    outcome = MLP().train(communities, seed=0, **MLP.quick, epochs=5)
    assert outcome.prob.shape == (60, 2)
    communities.edge_index = communities.edge_index[:, :7]
    other = MLP().train(communities, seed=0, **MLP.quick, epochs=5)
    assert torch.equal(outcome.prob, other.prob)


def test_learns_from_informative_features(communities):
    communities.x = torch.eye(2)[communities.truth]
    outcome = MLP().train(communities, seed=0, **MLP.quick, epochs=100)
    assert (outcome.prob.argmax(-1) == communities.truth).all()
    assert outcome.history[outcome.epoch] == outcome.val_acc
