import pytest
import torch
from torch.nn import Linear, ReLU, Sequential
from torch_geometric.nn import GCN, GCNConv

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.posterior import AmortizedPosterior
from torch_geometric_vgcn.prior import ConstantPrior, SmoothedPrior


def make(encoder, prior, scale=0.0, shift=0.0):
    posterior = AmortizedPosterior(encoder)
    posterior.initialize_from(prior)
    with torch.no_grad():
        posterior.scale.fill_(scale)
        posterior.shift.fill_(shift)
    return posterior


def mlp():
    return Sequential(Linear(4, 8), ReLU(), Linear(8, 3))


def conv():
    return GCNConv(4, 3)


def gnn():
    return GCN(4, 8, num_layers=2, out_channels=3)


@pytest.mark.parametrize('encoder', [mlp, conv, gnn])
def test_a_pretrained_encoder_stays_until_it_is_reset(prior, encoder):
    posterior = AmortizedPosterior(encoder())
    weights = [p.clone() for p in posterior.encoder.parameters()]

    def unchanged():
        pairs = zip(weights, posterior.encoder.parameters(), strict=True)
        return [torch.equal(a, b) for a, b in pairs if a.dim() > 1]

    posterior.initialize_from(prior)
    assert all(unchanged())
    posterior.reset_parameters(prior)
    assert not any(unchanged())


def test_logits_are_those_of_the_formula(prior, x):
    encoder = mlp()
    logits = make(encoder, prior, scale=2.0, shift=-0.5)(prior, x)
    row, col = prior.pairs.index
    z = encoder(x)
    cosine = torch.cosine_similarity(z[row], z[col], dim=-1)
    torch.testing.assert_close(logits, prior.logits + 2 * cosine - 0.5)


def test_unseen_nodes_are_served(prior, x):
    posterior = make(mlp(), prior, scale=2.0)
    more = SmoothedPrior(prior.edge_index, 9, pairs=AllPairs(9))
    logits = posterior(more, torch.cat([x, torch.randn(3, 4)]))
    assert logits.shape == (36,)
    seen = (more.pairs.index < 6).all(dim=0)
    everyone = SmoothedPrior(prior.edge_index, 6, pairs=AllPairs(6))
    torch.testing.assert_close(logits[seen], posterior(everyone, x))


@pytest.mark.parametrize('encoder', [conv, gnn])
def test_an_encoder_that_passes_messages_gets_the_graph(prior, x, encoder):
    posterior = make(encoder(), prior, scale=2.0)
    logits = posterior(prior, x)
    row, col = prior.pairs.index
    z = posterior.encoder(x, prior.edge_index)
    cosine = torch.cosine_similarity(z[row], z[col], dim=-1)
    torch.testing.assert_close(logits, prior.logits + 2 * cosine)


def test_what_the_encoder_needs_must_be_there(prior, x):
    with pytest.raises(ValueError, match="needs the node features 'x'"):
        make(mlp(), prior)(prior)
    unobserved = ConstantPrior(AllPairs(6), rho=0.5)
    with pytest.raises(ValueError, match='an observed graph'):
        make(conv(), unobserved)(unobserved, x)
