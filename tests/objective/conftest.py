import itertools

import pytest
import torch
from torch_geometric.nn import GCN

from torch_geometric_vgcn import AllPairs, SmoothedPrior
from torch_geometric_vgcn.objective import Categorical


class Tiny:
    r"""A model of four nodes, small enough to sum over all 64 graphs."""

    def __init__(self):
        torch.manual_seed(0)
        self.x = torch.randn(4, 3)
        self.y = torch.tensor([0, 1, 1, 0])
        self.conv = GCN(3, 8, 2, 2).eval()
        for parameter in self.conv.parameters():
            parameter.data *= 3  # so that the graph matters
        edge_index = torch.tensor([[0, 1, 2], [1, 2, 3]])
        self.prior = SmoothedPrior(
            edge_index, 4, rho1=0.6, rho0=0.2, pairs=AllPairs(4)
        )
        self.graphs = torch.tensor(
            list(itertools.product([0.0, 1.0], repeat=6))
        )
        index = self.prior.pairs.index
        both = torch.cat([index, index.flip(0)], dim=1)
        with torch.no_grad():
            # log p(y_n | X, A) of each graph, [64, 4]
            self.log_prob = torch.stack(
                [
                    Categorical().log_prob(
                        self.conv(self.x, both, edge_weight=graph.repeat(2)),
                        self.y,
                    )
                    for graph in self.graphs
                ]
            )

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
