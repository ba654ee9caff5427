import pytest
import torch
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import VariationalGraphLearner
from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.posterior import FreePosterior
from torch_geometric_vgcn.prior import ConstantPrior, SmoothedPrior


@pytest.fixture(params=['all pairs', 'candidates'])
def prior(request, graph):
    pairs = AllPairs(6) if request.param == 'all pairs' else None
    return SmoothedPrior(graph, 6, pairs=pairs)


@pytest.fixture
def posterior(prior):
    posterior = FreePosterior()
    posterior.initialize_from(prior)
    return posterior


def wander(posterior):
    """Moves the parameters away from the prior."""
    with torch.no_grad():
        for parameter in posterior.parameters():
            parameter.add_(torch.randn_like(parameter))


def test_it_starts_at_the_prior(prior, posterior):
    assert torch.equal(posterior(prior), prior.logits)


def test_it_starts_again_at_the_prior(prior, posterior):
    wander(posterior)
    assert not torch.equal(posterior(prior), prior.logits)
    posterior.initialize_from(prior)
    assert torch.equal(posterior(prior), prior.logits)


def test_each_pair_has_a_logit_of_its_own(prior, posterior):
    assert posterior.offset.shape == (len(prior.pairs),)
    posterior(prior)[3].backward()
    assert posterior.offset.grad.nonzero().tolist() == [[3]]


def test_a_subset_has_the_same_logits(prior, posterior):
    wander(posterior)
    part = prior.subset(torch.tensor([5, 2, 3, 0]))
    expected = posterior(prior)[part.pairs.position]
    assert torch.equal(posterior(part), expected)


def test_a_subset_of_a_subset_has_the_same_logits(prior, posterior):
    wander(posterior)
    node_id, again = torch.tensor([5, 4, 2, 3]), torch.tensor([3, 1, 0])
    part = prior.subset(node_id).subset(again)
    expected = posterior(prior.subset(node_id[again]))
    assert torch.equal(posterior(part), expected)


def test_a_subset_may_have_no_pair(graph):
    prior = SmoothedPrior(graph, 6)
    posterior = FreePosterior()
    posterior.initialize_from(prior)
    assert posterior(prior.subset(torch.tensor([0, 5]))).shape == (0,)


@pytest.mark.parametrize('num_nodes', [5, 7])
def test_other_pairs_are_refused(prior, posterior, num_nodes):
    other = ConstantPrior(AllPairs(num_nodes), rho=0.5)
    with pytest.raises(ValueError, match='use AmortizedPosterior'):
        posterior(other)


def test_what_was_learned_can_be_saved(graph, prior, posterior):
    wander(posterior)
    again = FreePosterior()
    again.initialize_from(prior)
    again.load_state_dict(posterior.state_dict())
    assert torch.equal(again(prior), posterior(prior))
    fewer = SmoothedPrior(graph[:, :3], 6)
    again.initialize_from(fewer)
    with pytest.raises(RuntimeError, match='size mismatch for offset'):
        again.load_state_dict(posterior.state_dict())


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
