import math

import pytest
import torch
from scipy.sparse import csr_array
from systems.ggp import GGP
from torch.autograd import gradcheck
from torch_geometric.utils import to_dense_adj

pytest.importorskip('gpytorch')

from systems.graph_gp import GraphGP, GraphPolynomial, RobustMax  # noqa: E402


def dense_kernel(x, edge_index, offset):
    closed = to_dense_adj(edge_index, max_num_nodes=x.size(0))[0].double()
    closed += torch.eye(x.size(0))
    mean = closed / closed.sum(dim=1, keepdim=True)
    return mean @ (x @ x.t() + offset) ** 3 @ mean.t()


def test_finds_communities_from_a_few_labels(communities):
    outcome = GGP().train(communities, seed=0, looks=30, **GGP.quick)
    assert outcome.prob.shape == (60, 2)
    assert (outcome.prob.argmax(-1) == communities.truth).float().mean() > 0.8
    assert outcome.history[outcome.epoch] == outcome.val_acc


def test_the_graph_alone_is_enough(communities):
    communities.x = torch.eye(60).to_sparse()
    outcome = GGP().train(communities, seed=0, looks=30, **GGP.quick)
    assert (outcome.prob.argmax(-1) == communities.truth).float().mean() > 0.8


def test_the_same_seed_gives_the_same_result(communities):
    runs = [GGP().train(communities, 3, lr=0.02, looks=2) for _ in range(2)]
    assert torch.equal(runs[0].prob, runs[1].prob)


class TestGraphPolynomial:
    @pytest.fixture
    def kernel(self, graph):
        x = torch.rand(6, 4, dtype=torch.float64)
        nodes = torch.tensor([4, 1, 0])
        kernel = GraphPolynomial(csr_array(x.numpy()), graph, nodes).double()
        kernel.offset = 0.7
        return kernel, dense_kernel(x, graph, 0.7)

    def test_equals_the_averaged_dense_kernel(self, kernel):
        kernel, expected = kernel
        everyone = torch.arange(6.0).unsqueeze(-1)
        some = torch.tensor([[1.0], [4.0]])
        both = kernel(some, everyone).to_dense()
        torch.testing.assert_close(both, expected[[1, 4]])
        both = kernel(everyone, some).to_dense()
        torch.testing.assert_close(both, expected[:, [1, 4]])
        diagonal = kernel(everyone, diag=True)
        torch.testing.assert_close(diagonal, expected.diagonal())

    def test_all_pairs_are_refused(self, kernel):
        everyone = torch.arange(6.0).unsqueeze(-1)
        with pytest.raises(ValueError, match="nodes of 'nodes' only"):
            kernel[0](everyone).to_dense()

    def test_blocks_of_nodes_add_up(self, citeseer):
        part = citeseer.subgraph(torch.arange(700))
        nodes = torch.arange(5)
        x = torch.nn.functional.normalize(part.x.double())
        sparse = csr_array(x.numpy())
        kernel = GraphPolynomial(sparse, part.edge_index, nodes).double()
        kernel.offset = 1.0
        expected = dense_kernel(x, part.edge_index, 1.0)
        everyone = torch.arange(700.0).unsqueeze(-1)
        some = kernel(everyone[nodes], everyone).to_dense()
        torch.testing.assert_close(some, expected[nodes])
        diagonal = kernel(everyone, diag=True)
        torch.testing.assert_close(diagonal, expected.diagonal())


class TestRobustMax:
    @pytest.mark.parametrize('num_classes', [2, 3, 6])
    def test_probability_of_the_largest_agrees_with_samples(self, num_classes):
        mean = torch.randn(4, num_classes, dtype=torch.float64)
        var = 0.5 + torch.rand(4, num_classes, dtype=torch.float64)
        sample = mean + var.sqrt() * torch.randn(200_000, *mean.shape)
        winner = sample.argmax(dim=-1)
        likelihood = RobustMax(num_classes)
        for c in range(num_classes):
            prob = likelihood.largest(mean, var, torch.full((4,), c))
            expected = (winner == c).double().mean(dim=0)
            torch.testing.assert_close(prob, expected, atol=0.005, rtol=0.0)

    def test_two_classes_have_a_closed_form(self):
        mean = torch.tensor([[0.3, -0.2]], dtype=torch.float64)
        var = torch.tensor([[0.5, 2.0]], dtype=torch.float64)
        prob = RobustMax(2).largest(mean, var, torch.tensor([0]))
        expected = torch.special.ndtr(torch.tensor(0.5 / math.sqrt(2.5)))
        assert prob.item() == pytest.approx(expected.item(), abs=1e-6)

    def test_gradients(self):
        mean = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
        var = torch.rand(3, 4, dtype=torch.float64) + 0.1
        y = torch.tensor([0, 3, 1])
        likelihood = RobustMax(4)
        assert gradcheck(
            lambda mean, var: likelihood.largest(mean, var, y),
            (mean, var.requires_grad_()),
        )

    def test_a_sample_has_the_likelihood_of_the_formula(self):
        prob = RobustMax(3, epsilon=0.1)(
            torch.tensor([[0.1, 0.5, -2.0]])
        ).probs
        torch.testing.assert_close(prob, torch.tensor([[0.05, 0.9, 0.05]]))


class TestBound:
    def train(self, graph, nodes, y):
        r"""The covariance at the nodes, and the bound after each step."""
        x = torch.rand(6, 4, dtype=torch.float64)
        kernel = GraphPolynomial(csr_array(x.numpy()), graph, nodes)
        kernel.offset = 0.5
        kernel.requires_grad_(False)
        model = GraphGP(kernel, RobustMax(2, epsilon=0.1), nodes).double()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        bounds = []
        for _ in range(100):
            optimizer.zero_grad()
            bound = y.numel() * model.bound(y)
            (-bound).backward()
            optimizer.step()
            bounds.append(bound.item())
        cov = dense_kernel(x, graph, 0.5)[nodes][:, nodes]
        return cov, bounds

    def test_stays_below_the_evidence(self, graph):
        nodes, y = torch.tensor([0, 2, 4]), torch.tensor([0, 0, 1])
        cov, bounds = self.train(graph, nodes, y)
        noise = torch.randn(2, 3, 100_000, dtype=torch.float64)
        h = (torch.linalg.cholesky(cov) @ noise).permute(2, 1, 0)
        prob = RobustMax(2, epsilon=0.1)(h).probs[:, torch.arange(3), y]
        evidence = prob.prod(dim=1).mean().log().item()
        assert max(bounds) < evidence
        assert bounds[-1] > evidence - 1 > bounds[0]

    def test_reaches_the_best_gaussians_for_one_label(self, graph):
        _, bounds = self.train(graph, torch.tensor([3]), torch.tensor([1]))
        # By symmetry their whitened means are m and -m, their deviation s:
        m = torch.linspace(0, 2, 401)
        s = torch.linspace(0.1, 2, 381).unsqueeze(-1)
        prob = torch.special.ndtr(math.sqrt(2) * m / s)
        kl = s.square() + m.square() - 1 - 2 * s.log()
        best = math.log(0.9) * prob + math.log(0.1) * (1 - prob) - kl
        assert bounds[-1] == pytest.approx(best.max().item(), abs=1e-3)
