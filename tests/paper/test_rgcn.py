import torch
from systems.rgcn import (
    RGCN,
    GaussianConv,
    GaussianGraph,
    GaussianNet,
    kl_to_standard_normal,
)
from torch.autograd import gradcheck
from torch.distributions import Normal, kl_divergence
from torch_geometric.utils import to_dense_adj


def test_finds_communities_from_a_few_labels(communities):
    outcome = RGCN().train(communities, seed=0, **RGCN.quick, epochs=50)
    assert outcome.prob.shape == (60, 2)
    assert (outcome.prob.argmax(-1) == communities.truth).float().mean() > 0.8
    assert outcome.history[outcome.epoch] == outcome.val_acc


def test_agrees_with_the_formula_in_dense_matrices(graph):
    conv = GaussianConv(4, 3, gamma=0.7)
    x, y = torch.randn(6, 4), torch.rand(6, 4)
    adj = to_dense_adj(graph)[0] + torch.eye(6)
    inverse = adj.sum(dim=0).reciprocal().diag()
    mean = torch.nn.functional.elu(x @ conv.lin_mean.weight.t())
    var = (y @ conv.lin_var.weight.t()).relu()
    alpha = torch.exp(-0.7 * var)
    root = inverse.sqrt()
    expected = (
        root @ adj @ root @ (mean * alpha),
        inverse @ adj @ inverse @ (var * alpha * alpha),
    )
    torch.testing.assert_close(conv(x, y, GaussianGraph(graph, 6)), expected)


def test_propagates_moments_of_independent_gaussians(graph):
    # Without attention, these are the moments of a weighted sum:
    conv = GaussianConv(1, 1, gamma=0.0)
    mean, var = torch.randn(6, 1), torch.rand(6, 1)
    matrices = GaussianGraph(graph, 6)
    draws = mean + var.sqrt() * torch.randn(6, 100_000)
    total = matrices.mean.to_dense() @ draws
    mean, var = conv.propagate(mean, var, matrices)
    torch.testing.assert_close(
        total.mean(dim=1, keepdim=True), mean, atol=0.01, rtol=0
    )
    torch.testing.assert_close(
        total.var(dim=1, keepdim=True), var, atol=0.01, rtol=0
    )


def test_kl():
    mean, var = torch.randn(5, 3), torch.rand(5, 3) + 0.1
    other = kl_divergence(Normal(mean, var.sqrt()), Normal(0.0, 1.0)).sum()
    torch.testing.assert_close(kl_to_standard_normal(mean, var), other)


def test_gradients(graph):
    conv = GaussianConv(4, 3).double()
    matrices = GaussianGraph(graph, 6, torch.double)
    x = torch.randn(6, 4, dtype=torch.double, requires_grad=True)
    y = torch.rand(6, 4, dtype=torch.double, requires_grad=True)

    def output(x, y, weight_mean, weight_var):
        state = {'lin_mean.weight': weight_mean, 'lin_var.weight': weight_var}
        return torch.func.functional_call(conv, state, (x, y, matrices))

    assert gradcheck(output, (x, y, *conv.parameters()))


def test_sparse_features_give_the_same_output(communities):
    net = GaussianNet(20, 8, 2).eval()
    matrices = GaussianGraph(communities.edge_index, 60)
    dense = net(communities.x, matrices)
    sparse = net(communities.x.to_sparse_csr(), matrices)
    torch.testing.assert_close(sparse, dense)
