from systems.gcn import GCN


def test_finds_communities_from_a_few_labels(communities):
    outcome = GCN().train(communities, seed=0, **GCN.quick, epochs=100)
    assert outcome.prob.shape == (60, 2)
    assert (outcome.prob.argmax(-1) == communities.truth).float().mean() > 0.8
    assert outcome.history[outcome.epoch] == outcome.val_acc
