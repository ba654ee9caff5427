import pytest
import torch
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import VariationalGraphLearner
from torch_geometric_vgcn.posterior import FreePosterior
from torch_geometric_vgcn.prior import SmoothedPrior


def learner_of(graph, sparse):
    return VariationalGraphLearner(
        GCNConv(8, 3),
        SmoothedPrior(graph, 6),
        posterior=FreePosterior(sparse=sparse),
    )


def grad_of(learner, prior, noise):
    torch.manual_seed(0)
    x, y = torch.randn(6, 8), torch.arange(6) % 3
    nodes = slice(None) if prior is None else prior.pairs.node_id
    out = learner(x[nodes], noise=noise, prior=prior)
    learner.objective(out, y[nodes]).loss.backward()
    return learner.posterior.offset.grad


@pytest.mark.parametrize('nodes', [None, [4, 0, 1, 2]], ids=['all', 'batch'])
def test_a_sparse_gradient_is_the_dense_one(graph, nodes):
    dense, sparse = learner_of(graph, False), learner_of(graph, True)
    sparse.load_state_dict(dense.state_dict())
    prior = nodes and dense.prior.subset(torch.tensor(nodes))
    noise = dense.noise(2, prior=prior)
    expected = grad_of(dense, prior, noise)
    got = grad_of(sparse, prior, noise)
    assert got.layout == torch.sparse_coo
    if prior is not None:
        assert got._nnz() == len(prior.pairs) < expected.numel()
    assert torch.allclose(got.to_dense(), expected)


def test_a_step_leaves_the_logits_outside_the_batch_alone(graph):
    learner = learner_of(graph, True)
    offset = learner.posterior.offset
    optimizer = torch.optim.SparseAdam([offset], lr=0.1)

    def step(nodes):
        optimizer.zero_grad()
        prior = learner.prior.subset(torch.tensor(nodes))
        grad_of(learner, prior, learner.noise(2, prior=prior))
        optimizer.step()
        mask = torch.zeros(offset.numel(), dtype=torch.bool)
        mask[prior.pairs.position] = True
        return mask

    first = step([0, 1, 2])
    assert torch.equal(offset != 0, first)
    before = offset.detach().clone()
    moments = optimizer.state[offset]['exp_avg'].clone()
    second = step([2, 3, 4, 5])
    outside = ~second
    assert (first & outside).any()
    assert torch.equal(offset[outside], before[outside])
    state = optimizer.state[offset]
    assert torch.equal(state['exp_avg'][outside], moments[outside])
    assert (offset[second] != before[second]).all()
