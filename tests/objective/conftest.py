import itertools

import pytest
import torch
from torch_geometric.nn import GCN

from torch_geometric_vgcn import AllPairs, SmoothedPrior
from torch_geometric_vgcn.objective import Categorical


class Tiny:
    r"""A model of few nodes on a path, small enough to sum over all graphs (64
    of four nodes).
    """

    def __init__(self, y=(0, 1, 1, 0), likelihood=None):
        torch.manual_seed(0)
        self.y = torch.as_tensor(y)
        self.likelihood = likelihood or Categorical()
        n, num_outputs = len(self.y), 2
        if not isinstance(self.likelihood, Categorical):
            num_outputs = self.y[0].numel()
        self.x = torch.randn(n, 3)
        self.conv = GCN(3, 8, 2, num_outputs).eval()
        for parameter in self.conv.parameters():
            parameter.data *= 3  # so that the graph matters
        edge_index = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
        self.prior = SmoothedPrior(
            edge_index, n, rho1=0.6, rho0=0.2, pairs=AllPairs(n)
        )
        self.graphs = torch.tensor(
            list(itertools.product([0.0, 1.0], repeat=n * (n - 1) // 2))
        )
        index = self.prior.pairs.index
        both = torch.cat([index, index.flip(0)], dim=1)
        with torch.no_grad():
            # The outputs on each graph, [64, 4, 2]
            self.out = torch.stack(
                [
                    self.conv(self.x, both, edge_weight=graph.repeat(2))
                    for graph in self.graphs
                ]
            )
        # log p(y_n | X, A) of each graph, [64, 4]
        self.log_prob = self.likelihood.log_prob(self.out, self.y).detach()

    def log_q(self, logits):
        r"""log q(A) of each graph, [64]."""
        return (
            torch.distributions.Bernoulli(logits=logits)
            .log_prob(self.graphs)
            .sum(-1)
        )

    def log_evidence(self, nodes=slice(None)):
        joint = self.log_prob[:, nodes].sum(-1) + self.log_q(self.prior.logits)
        return joint.logsumexp(0)

    def elbo(self, logits):
        log_q = self.log_q(logits)
        log_p = self.log_q(self.prior.logits)
        value = self.log_prob.sum(-1) + log_p - log_q
        return (log_q.exp() * value).sum()


@pytest.fixture(scope='session')
def tiny():
    return Tiny()


@pytest.fixture(scope='session')
def tiny_of():
    return Tiny
