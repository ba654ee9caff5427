import torch
from systems.gat import GAT, AttentionNet


def test_finds_communities_from_a_few_labels(communities):
    outcome = GAT().train(communities, seed=0, **{**GAT.quick, 'epochs': 50})
    assert outcome.prob.shape == (60, 2)
    assert (outcome.prob.argmax(-1) == communities.truth).float().mean() > 0.8
    assert outcome.history[outcome.epoch] == outcome.val_acc


def test_sparse_features_give_the_same_output(communities):
    net = AttentionNet(20, 2).eval()
    dense = net(communities.x, communities.edge_index)
    sparse = net(communities.x.to_sparse_csr(), communities.edge_index)
    torch.testing.assert_close(sparse, dense)


def test_dropout_of_sparse_features_passes_gradients(communities):
    net = AttentionNet(20, 2)
    net(communities.x.to_sparse_csr(), communities.edge_index).sum().backward()
    for parameter in net.parameters():
        assert parameter.grad.isfinite().all()
        assert parameter.grad.count_nonzero() > 0
