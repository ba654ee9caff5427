import torch
from torch_geometric.nn import PANConv, SAGEConv
from torch_geometric.testing import withPackage

from torch_geometric_vgcn import (
    AllPairs,
    Bernoulli,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)

X = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 0, 0, 1, 1, 1])


class Pan(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = PANConv(4, 2, filter_size=2)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)[0]


@withPackage('torch_sparse')
def test_convs_that_only_hard_samples_fit(graph):
    prior = SmoothedPrior(graph, 6, rho1=0.9)
    learner = VariationalGraphLearner(
        Pan(), prior, sampler=Bernoulli(), posterior=FreePosterior()
    )
    out = learner(X, num_samples=2)
    learner.objective(out, Y).loss.backward()
    assert learner.posterior.offset.grad.abs().sum() > 0


def test_all_pairs_cost_only_the_edges_that_are_there(graph):
    prior = SmoothedPrior(graph, 6, rho1=0.9, pairs=AllPairs(6))
    learner = VariationalGraphLearner(
        SAGEConv(4, 2), prior, sampler=Bernoulli(), posterior=FreePosterior()
    )
    assert str(learner.route) == 'KeptEdges()'
    out = learner(X)
    edge_index, _ = learner.sample.edges(0)
    assert edge_index.size(1) == 2 * int(learner.sample.weight.sum())
    assert torch.allclose(out, learner.conv(X, edge_index), atol=1e-6)
