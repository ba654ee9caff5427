import math

import pytest
import torch
from scipy.sparse import csr_array
from torch.autograd import gradcheck
from torch_geometric.utils import to_dense_adj

pytest.importorskip('gpytorch')

from benchmarks.paper.systems.graph_gp import (
    GraphGP,
    GraphPolynomial,
    RobustMax,
)


def dense_kernel(x, edge_index, offset):
    closed = to_dense_adj(edge_index, max_num_nodes=x.size(0))[0].double()
    closed += torch.eye(x.size(0))
    mean = closed / closed.sum(dim=1, keepdim=True)
    return mean @ (x @ x.t() + offset) ** 3 @ mean.t()


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

    def test_gradients(self):
        mean = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
        var = torch.rand(3, 4, dtype=torch.float64) + 0.1
        y = torch.tensor([0, 3, 1])
        likelihood = RobustMax(4)
        assert gradcheck(
            lambda mean, var: likelihood.largest(mean, var, y),
            (mean, var.requires_grad_()),
        )


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
