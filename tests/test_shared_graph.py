import pytest
import torch
from torch_geometric.nn import GATConv, GCNConv

from torch_geometric_vgcn import (
    FreePosterior,
    SharedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
)

X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 0, 0, 1, 1, 1])


class Model(torch.nn.Module):
    def __init__(self, graph, conv2=GCNConv):
        super().__init__()
        prior = SmoothedPrior(graph, 6)
        self.conv1 = VariationalGraphLearner(
            GCNConv(3, 8), prior, posterior=FreePosterior()
        )
        self.conv2 = SharedGraph(conv2(8, 2), self.conv1)

    def forward(self, x, edge_index, num_samples=1):
        x = self.conv1(x, edge_index, num_samples=num_samples).relu()
        return self.conv2(x, edge_index)


@pytest.mark.parametrize('conv2', [GCNConv, GATConv])
@pytest.mark.parametrize('num_samples', [1, 3])
def test_two_layers_share_one_sample(graph, conv2, num_samples):
    model = Model(graph, conv2)
    out = model(X, graph, num_samples)
    assert out.shape == ((3, 6, 2) if num_samples == 3 else (6, 2))
    model.conv1.objective(out, Y).loss.backward()
    assert (model.conv1.posterior.offset.grad != 0).all()
    # One posterior, counted once:
    names = [name for name, _ in model.named_parameters()]
    assert sum('offset' in name for name in names) == 1


def test_is_the_same_as_wrapping_the_whole_model(graph):
    class Whole(torch.nn.Module):
        def __init__(self, conv1, conv2):
            super().__init__()
            self.conv1, self.conv2 = conv1, conv2

        def forward(self, x, edge_index, edge_weight=None):
            x = self.conv1(x, edge_index, edge_weight).relu()
            return self.conv2(x, edge_index, edge_weight)

    parts = Model(graph)
    whole = VariationalGraphLearner(
        Whole(parts.conv1.conv, parts.conv2.conv),
        parts.conv1.prior,
        posterior=FreePosterior(),
    )
    noise = whole.noise(2)
    expected = whole(X, noise=noise)
    hidden = parts.conv1(X, noise=noise).relu()
    assert torch.allclose(parts.conv2(hidden), expected, atol=1e-6)


def test_errors(graph):
    model = Model(graph)
    with pytest.raises(RuntimeError, match='call the learner before'):
        model.conv2(torch.randn(6, 8))
    model(X, graph, 3)
    with pytest.raises(ValueError, match="'x' must have shape"):
        model.conv2(torch.randn(2, 6, 8))
    with pytest.raises(ValueError, match='the graph that the prior was made'):
        model.conv2(torch.randn(6, 8), graph[:, 2:7])
