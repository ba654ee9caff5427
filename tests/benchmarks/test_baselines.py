r"""Parts of the paper's other systems against other ways to compute them."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.distributions import Bernoulli, Beta, Dirichlet
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import degree, to_dense_adj

from benchmarks.paper.systems.bernoulli_graph import BernoulliGraph
from benchmarks.paper.systems.egcn import AssortativeMMSBM
from benchmarks.paper.systems.gcn_jaccard import similar
from benchmarks.paper.systems.gcn_svd import LowRankGraph
from benchmarks.paper.systems.rgcn import GaussianConv, GaussianGraph
from benchmarks.paper.systems.sage import MeanConv, sample_neighbors
from torch_geometric_vgcn.pairs import AllPairs


def test_sage_keeps_k_distinct_neighbors_or_all():
    for k in (1, 3, 10):
        edge = torch.randint(12, (2, 150)).unique(dim=1)
        nodes = torch.randint(12, (9,))  # some twice, some not at all
        kept = sample_neighbors(edge, nodes, k, 12)
        assert kept.unique(dim=1).size(1) == kept.size(1)
        code = edge[0] * 12 + edge[1]
        assert torch.isin(kept[0] * 12 + kept[1], code).all()
        asked = torch.isin(torch.arange(12), nodes)
        count = degree(edge[1], 12).clamp(max=k) * asked
        assert torch.equal(degree(kept[1], 12), count)


def test_sage_has_the_mean_of_sage_conv(graph):
    conv, same = MeanConv(4, 3), SAGEConv(4, 3)
    own, other = conv.lin.weight.data.chunk(2)
    same.lin_r.weight.data, same.lin_l.weight.data = own, other
    same.lin_l.bias.data = conv.bias.data.normal_()
    x, edge = torch.randn(7, 4), graph  # the last node is isolated
    torch.testing.assert_close(conv(x, edge), same(x, edge))
    torch.testing.assert_close(conv(x.to_sparse_csr(), edge), same(x, edge))


def test_rgcn_agrees_with_the_formula_in_dense_matrices(graph):
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


def test_rgcn_has_gradients(graph):
    conv = GaussianConv(4, 3).double()
    matrices = GaussianGraph(graph, 6, torch.double)
    x, y = (torch.rand(6, 4).double().requires_grad_() for _ in range(2))
    assert gradcheck(lambda x, y: conv(x, y, matrices), (x, y))


def test_gcn_svd_has_the_products_of_the_dense_matrix(communities):
    edge_index = communities.edge_index
    graph = LowRankGraph(edge_index, 60, rank=5)
    u, s, vt = torch.linalg.svd(to_dense_adj(edge_index)[0].double())
    low = (u[:, :5] * s[:5]) @ vt[:5] + torch.eye(60)
    scale = low.sum(dim=1).clamp(min=1).rsqrt()
    expected = scale[:, None] * low * scale
    assert torch.allclose(graph(torch.eye(60)), expected.float(), atol=1e-5)


def test_gcn_jaccard_removes_edges_of_nodes_without_common_words():
    x = torch.tensor([[1.0, 1.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.0, 1.0]])
    index = torch.tensor([[0, 1, 1, 2, 0, 2], [1, 0, 2, 1, 2, 0]])
    data = Data(x=x, edge_index=index)
    # Of the two words of 0 and 1, one is common; 2 has none of them:
    assert similar(data, 0.01).edge_index.tolist() == [[0, 1], [1, 0]]
    assert similar(data, 0.5).num_edges == 2  # not below the threshold
    assert similar(data, 0.6).num_edges == 0


class TestEGCN:
    @pytest.fixture
    def model(self, communities) -> AssortativeMMSBM:
        r"""A rough guess of the communities, a third of it wrong."""
        right = torch.arange(60) % 3 > 0
        guess = torch.where(right, communities.truth, 1 - communities.truth)
        membership = 0.2 + 0.6 * torch.eye(2)[guess]
        return AssortativeMMSBM(membership, communities.edge_index, 1.5, 2.0)

    def test_the_probability_of_a_pair_sums_over_communities(self, model):
        strength, across = model.strength_logit.sigmoid(), model.across_logit
        block = across.sigmoid().repeat(2, 2).fill_diagonal_(0)
        block = block + strength.diag()
        expected = model.membership @ block @ model.membership.t()
        row, col = pairs = AllPairs(60).index
        expected = expected[row, col]
        assert torch.allclose(model.probability(pairs), expected)
        assert torch.allclose(model.probabilities(), expected, atol=1e-6)

    def test_the_joint_density_is_that_of_torch(self, model, communities):
        pairs = AllPairs(60)
        edge = pairs.contains(communities.edge_index)
        prob = model.probability(pairs.index)
        strength = model.strength_logit.sigmoid()
        expected = Bernoulli(prob).log_prob(edge.float()).sum()
        expected = expected + Beta(2.0, 2.0).log_prob(strength).sum()
        dirichlet = Dirichlet(torch.full((2,), 1.5))
        expected = expected + dirichlet.log_prob(model.membership).sum()
        joint = model.log_joint(pairs.index[:, ~edge])
        # Equal up to a constant, so the gradients are the same:
        parameters = list(model.parameters())
        for mine, theirs in zip(
            torch.autograd.grad(joint, parameters, retain_graph=True),
            torch.autograd.grad(expected, parameters),
            strict=True,
        ):
            assert mine.abs().max() > 0.01
            assert torch.allclose(mine, theirs, rtol=1e-3, atol=1e-3)

    def test_recovers_planted_communities(self, model, communities):
        generator = torch.Generator().manual_seed(0)
        membership = model.membership.detach()
        model = AssortativeMMSBM(membership, communities.edge_index)
        model.fit(generator, steps=500, lr=0.05, batch_size=1000)
        found = model.membership.argmax(dim=1)
        assert (found == communities.truth).float().mean() > 0.9


def test_pairs_of_a_bernoulli_graph_have_their_probability():
    generator = torch.Generator().manual_seed(0)
    probs = torch.tensor([0, 0.001, 0.005, 0.00999, 0.011, 0.2, 0.9, 1])
    pairs = AllPairs(200)
    group = torch.arange(len(pairs)) % 8
    theta = BernoulliGraph(probs[group], 200, generator)
    drawn = sum(pairs.contains(theta.sample()).double() for _ in range(40))
    count = torch.zeros(8).double().index_add(0, group, drawn)
    total = 40 * group.bincount()
    spread = (total * probs * (1 - probs)).sqrt()
    assert ((count - total * probs).abs() <= 4 * spread + 1e-3).all()


def test_a_step_of_a_bernoulli_graph_follows_the_gradient():
    generator = torch.Generator().manual_seed(0)
    edge_index = torch.tensor([[0, 1], [1, 2]])
    theta = BernoulliGraph.of_graph(edge_index, 5, generator)
    assert theta.sample().t().tolist() == [[0, 1], [1, 2]]
    left, right = torch.randn(2, 5, 3, generator=generator)
    row, col = AllPairs(5).index
    grad = left @ right.t()
    expected = theta.prob - 0.8 * (grad + grad.t())[row, col]
    theta.descend(left, right, lr=0.8)
    assert torch.allclose(theta.prob, expected.clamp(0, 1), atol=1e-6)
