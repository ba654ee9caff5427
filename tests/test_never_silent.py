"""Uses that used to give wrong numbers, or to end in an internal error."""

import copy

import numpy as np
import pytest
import torch
from torch_geometric.nn import (
    GAT,
    GCN,
    GIN,
    GCNConv,
    GraphSAGE,
    SAGEConv,
)

from torch_geometric_vgcn import (
    AllPairs,
    AmortizedPosterior,
    Bernoulli,
    BinaryConcrete,
    SmoothedPrior,
)
from torch_geometric_vgcn.sample import StraightThroughBernoulli

X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 0, 0, 1, 1, 1])
MODELS = (GCN, GAT, GraphSAGE, GIN)

# Posteriors and priors


def test_a_posterior_knows_its_pairs(graph, learner_of):
    learner = learner_of(graph)
    other = torch.tensor([[0, 0, 0, 1, 1, 2, 2], [3, 4, 5, 3, 4, 4, 5]])
    assert other.size(1) == len(learner.prior.pairs)
    with pytest.raises(ValueError, match='its own 7 pairs'):
        learner.predict(X, prior=SmoothedPrior(other, 6))
    same = SmoothedPrior(graph.flip(1), 6, rho1=0.9)
    assert learner.predict(X, prior=same).shape == (6, 2)


def test_a_posterior_of_a_subset(graph, learner_of):
    whole = SmoothedPrior(graph, 6)
    part = whole.subset(torch.tensor([3, 4, 5]))
    learner = learner_of(graph, prior=part)
    learner.posterior.offset.data += torch.tensor([1.0, 2.0, 3.0])
    expected = part.logits + learner.posterior.offset
    assert torch.equal(learner.posterior(part), expected)
    assert torch.allclose(
        learner.posterior(part.subset(torch.tensor([0, 2]))), expected[1:2]
    )
    with pytest.raises(ValueError, match='its own 3 pairs'):
        learner.posterior(whole.subset(torch.tensor([0, 1, 2])))


def test_a_subset_with_its_own_edges(graph, learner_of):
    learner = learner_of(graph)
    node_id = torch.tensor([3, 4, 5])
    part = learner.prior.subset(node_id)
    out = learner(X[node_id], part.edge_index, prior=part)
    assert out.shape == (3, 2)
    with pytest.raises(ValueError, match='the graph that the prior was made'):
        learner(X[node_id], part.edge_index[:, :2], prior=part)


@pytest.mark.parametrize(
    'other', [{'rho1': 0.5}, {'rho0': 1e-3}], ids=['rho1', 'rho0']
)
def test_a_state_is_not_loaded_beside_another_prior(graph, other, learner_of):
    state = learner_of(graph).state_dict()
    fresh = learner_of(graph, **other)
    with pytest.raises(ValueError, match='prior'):
        fresh.load_state_dict(state)


def test_a_state_is_loaded_in_another_precision(graph, learner_of):
    learner = learner_of(graph)
    learner.posterior.offset.data += torch.randn(7)
    double = learner_of(graph).double()
    double.load_state_dict(learner.state_dict())
    assert torch.allclose(
        double.edge_probs().float(), learner.edge_probs(), atol=1e-6
    )


def test_a_pretrained_encoder_is_kept(graph, learner_of):
    encoder = torch.nn.Linear(3, 4)
    before = encoder.weight.clone()
    learner = learner_of(graph, posterior=AmortizedPosterior(encoder))
    assert torch.equal(encoder.weight, before)
    learner.reset_parameters()
    assert not torch.equal(encoder.weight, before)


# Input


def test_features_that_need_a_gradient_are_checked_too(graph, learner_of):
    learner = learner_of(graph)
    x = X.clone().requires_grad_()
    learner(x).sum().backward()
    assert x.grad is not None
    with pytest.raises(ValueError, match="'x' must have one row"):
        learner(X[:4].clone().requires_grad_())
    with pytest.raises(ValueError, match="'x' must be finite"):
        learner((X * float('nan')).requires_grad_())
    with pytest.raises(ValueError, match="'x' must have one row"):
        learner(2 * x[:4])


@pytest.mark.parametrize('change', ['numpy', 'data', 'in place'])
@pytest.mark.parametrize('sparse', [False, True], ids=['dense', 'csr'])
def test_changed_features_are_noticed(graph, change, sparse, learner_of):
    x = torch.zeros(6, 40)
    x[:, :3] = X
    values = x
    if sparse:
        x = x.to_sparse_csr()
        values = x.values()
    learner = learner_of(graph, GCN(40, 8, 2, 2)).eval()
    noise = learner.noise(2)
    for _ in range(3):
        learner(x, noise=noise)
    if change == 'numpy':
        values.numpy()[...] *= 2
    elif change == 'data':
        values.data *= 2
    else:
        values *= 2
    dense = x.to_dense() if sparse else x
    expected = learner(dense.clone(), noise=noise)
    assert torch.allclose(learner(x, noise=noise), expected, atol=1e-5)


def test_a_single_new_entry_is_noticed(graph, learner_of):
    x = torch.zeros(6, 40)
    x[:, 0] = 1.0
    learner = learner_of(graph, GCNConv(40, 2))
    noise = learner.noise()
    for _ in range(3):
        learner(x, noise=noise)
    x.numpy()[3, 17] = 1e-3
    expected = learner(x.clone(), noise=noise)
    assert torch.allclose(learner(x, noise=noise), expected, atol=1e-7)


def test_a_promise_ends_with_its_block(graph, learner_of):
    x = torch.zeros(6, 40)
    x[:, 0] = 1.0
    learner = learner_of(graph, GCNConv(40, 2))
    noise = learner.noise()
    expected = learner(x.clone(), noise=noise)
    with learner.unchanged(x):
        for _ in range(3):
            assert torch.allclose(learner(x, noise=noise), expected, atol=1e-6)
    x.numpy()[...] *= 2
    for _ in range(3):
        assert not torch.allclose(learner(x, noise=noise), expected, atol=0.1)


def test_a_frozen_batch_norm_stays_frozen(graph, learner_of):
    conv = GCN(3, 8, 2, 2, norm='batch_norm')
    learner = learner_of(graph, conv)
    conv.norms[0].eval()
    before = copy.deepcopy(conv.state_dict())
    learner.predict(X)
    assert not conv.norms[0].training and learner.training
    for name, value in conv.state_dict().items():
        assert torch.equal(value, before[name])


@pytest.mark.parametrize(
    'kwargs, message',
    [
        ({'num_labeled': -1}, "'num_labeled' must be at least 1"),
        ({'num_labeled': 2.5}, "'num_labeled' must be an int"),
        ({'kl_scale': float('nan')}, "'kl_scale' must be finite"),
        ({'kl_scale': -1.0}, "'kl_scale' must be finite and at least 0"),
        ({'kl_scale': torch.ones(3)}, r"'weight' must have shape \[7\]"),
        ({'y': Y - 1}, "'y' must be non-negative"),
        ({'y': Y * 2}, 'must hold classes below 2'),
        ({'mask': torch.ones(6)}, "'mask' must be a boolean mask or hold"),
        ({'mask': [0, 1]}, "'mask' must be a torch.Tensor"),
        ({'mask': torch.tensor([6])}, r"'mask' must hold node ids in"),
        ({'mask': torch.tensor([-1])}, r"'mask' must hold node ids in"),
        ({'out': torch.zeros(6, 1)}, 'one output per class'),
    ],
)
def test_arguments_of_the_objective(graph, kwargs, message, learner_of):
    learner = learner_of(graph)
    out = learner(X)
    arguments = {'out': out, 'y': Y, 'sample': learner.sample, **kwargs}
    with pytest.raises((TypeError, ValueError), match=message):
        learner.objective(**arguments)


def test_bfloat16_noise_has_the_tails_of_the_logistic(graph):
    prior = SmoothedPrior(graph, 6, rho1=1e-3).bfloat16()
    noise = Bernoulli().noise(prior, 200_000, torch.Generator().manual_seed(0))
    sample = Bernoulli()(prior, prior.logits, noise)
    share = float(sample.weight.float().mean())
    assert abs(share / 1e-3 - 1) < 0.1


# Precision and modes


@pytest.mark.parametrize('dtype', [torch.bfloat16, torch.half])
@pytest.mark.parametrize('model', MODELS)
@pytest.mark.parametrize('dense', [False, True], ids=['few', 'all'])
def test_half_precision(graph, dtype, model, dense, learner_of):
    pairs = AllPairs(6) if dense else None
    learner = learner_of(graph, model, pairs=pairs).eval()
    noise = learner.noise(2)
    expected = learner(X, noise=noise)
    learner = learner.to(dtype)
    noise.logistic = noise.logistic.to(dtype)
    if noise.background is not None:
        noise.background.weight = noise.background.weight.to(dtype)
    out = learner(X.to(dtype), noise=noise)
    assert out.dtype == dtype
    scale = expected.abs().max()
    assert (out.float() - expected).abs().max() < 0.1 * scale
    learner.objective(out, Y).loss.backward()
    assert learner.posterior.offset.grad.isfinite().all()


@pytest.mark.parametrize('model', MODELS)
def test_inference_mode(graph, model, learner_of):
    learner = learner_of(graph, model)
    noise = learner.noise(2)
    with torch.inference_mode():  # first, so that nothing is known yet
        prob = learner.predict(X.clone(), noise=noise)
        learner(X.clone(), num_samples=2)
        learner.predict(X, noise=noise)
    # What was kept from it must not end up in an autograd graph:
    out = learner(X, num_samples=2)
    learner.objective(out, Y).loss.backward()
    assert torch.allclose(learner.predict(X, noise=noise), prob, atol=1e-6)
    x = prob.clone()
    assert not x.is_inference() or learner.predict(X).shape == (6, 2)


@pytest.mark.parametrize('model', MODELS)
def test_lazy_convs(graph, model, learner_of):
    learner = learner_of(graph, model(-1, 8, 2, 2))
    optimizer = torch.optim.Adam(learner.parameters())
    before = None
    for _ in range(2):
        optimizer.zero_grad()
        out = learner(X, num_samples=2)
        learner.objective(out, Y).loss.backward()
        optimizer.step()
        weights = [p.detach().clone() for p in learner.conv.parameters()]
        if before is not None:
            moved = [
                not torch.equal(a, b)
                for a, b in zip(weights, before, strict=True)
            ]
            assert any(moved)
        before = weights


def test_improved_is_the_same_for_all_samplers(graph, learner_of):
    conv = GCNConv(3, 2, improved=True).eval()
    prior = SmoothedPrior(graph, 6, rho1=0.999999, rho0=1e-9)
    expected = conv(X, graph)
    for sampler in (Bernoulli(), StraightThroughBernoulli()):
        learner = learner_of(graph, conv, prior, sampler=sampler)
        out = learner(X, num_samples=2)
        assert torch.allclose(out[0], expected, atol=1e-5)


# Gradients at low temperatures


@pytest.mark.parametrize('tau', [0.01, 0.02, 0.1])
@pytest.mark.parametrize(
    'make',
    [
        lambda: SAGEConv(3, 2),
        lambda: GCNConv(3, 2, add_self_loops=False),
        lambda: GCN(3, 8, 2, 2),
        lambda: GAT(3, 8, 2, 2),
        lambda: GAT(3, 8, 2, 2, add_self_loops=False),
        lambda: GIN(3, 8, 2, 2),
        lambda: SAGEConv(3, 2, aggr=['mean', 'max', 'std']),
    ],
)
def test_gradients_are_finite_at_any_temperature(graph, tau, make, learner_of):
    # All edges of some node have next to no weight, of all magnitudes.
    torch.manual_seed(0)
    sampler = BinaryConcrete(tau)
    learner = learner_of(graph, make(), rho1=0.05, sampler=sampler)
    for _ in range(40):
        learner.zero_grad()
        out = learner(X, num_samples=3)
        learner.objective(out, Y).loss.backward()
        for parameter in learner.parameters():
            assert parameter.grad.isfinite().all()


@pytest.mark.parametrize('size', [0.0, 1e-45, 1e-40, 1e-38, 1e-30, 1e-20])
@pytest.mark.parametrize('conv_name', ['SAGE', 'GCN', 'GAT'])
def test_tiny_weights_have_finite_gradients(
    graph, size, conv_name, learner_of
):
    conv = {
        'SAGE': lambda: SAGEConv(3, 2),
        'GCN': lambda: GCNConv(3, 2, add_self_loops=False),
        'GAT': lambda: GAT(3, 8, 1, 2, add_self_loops=False),
    }[conv_name]()
    tau = 0.01
    logit = -200.0 if size == 0 else float(np.log(size))
    prior = SmoothedPrior(graph, 6, rho0=1e-9)
    learner = learner_of(graph, conv, prior, sampler=BinaryConcrete(tau))
    noise = learner.noise()
    noise.logistic = (tau * logit - prior.logits).unsqueeze(0)
    out = learner(X, noise=noise)
    (grad,) = torch.autograd.grad(out.square().sum(), learner.posterior.offset)
    assert out.isfinite().all() and grad.isfinite().all()


# Background


@pytest.mark.parametrize(
    'temperature, num_nodes', [(0.75, 19_717), (0.9, 3_327), (0.99, 20_000)]
)
def test_too_many_background_pairs_are_refused_at_once(
    temperature, num_nodes, learner_of
):
    edge_index = torch.stack(
        [torch.arange(num_nodes - 1), torch.arange(1, num_nodes)]
    )
    prior = SmoothedPrior(edge_index, num_nodes)
    sampler = BinaryConcrete(temperature)
    with pytest.raises(ValueError, match='would draw about .* background'):
        learner_of(None, GCNConv(3, 2), prior, sampler=sampler)


@pytest.mark.parametrize('temperature', [0.5, 0.75, 0.9, 0.99])
def test_small_graphs_take_any_temperature(graph, temperature, learner_of):
    learner = learner_of(graph, sampler=BinaryConcrete(temperature))
    assert learner.predict(X).isfinite().all()


# The default posterior and objective, whose state grows in the first step


@pytest.fixture
def taught(graph, learner_of):
    def make():
        return learner_of(graph, posterior=None)

    def step(learner, x=X, dtype=None):
        mask = torch.tensor([0, 3])
        out = learner(x if dtype is None else x.to(dtype), num_samples=2)
        got = learner.objective(out, Y, mask)
        got.loss.backward()
        return got

    return make, step


def test_inference_mode_of_a_taught_learner(taught):
    make, step = taught
    learner = make()
    noise = learner.noise(2)
    with torch.inference_mode():  # first, so that nothing is known yet
        learner.predict(X.clone(), noise=noise)
    step(learner)
    prob = learner.predict(X, noise=noise)
    with torch.inference_mode():
        assert torch.equal(learner.predict(X, noise=noise), prob)
        learner.edge_probs()
        learner.objective(learner(X, num_samples=2), Y)
    step(learner)
    assert not torch.equal(learner.predict(X, noise=noise), prob)
    assert int(learner.criterion.step) == 2


@pytest.mark.parametrize('dtype', [torch.half, torch.bfloat16, torch.double])
def test_steps_in_another_precision(taught, dtype):
    make, step = taught
    expected, learner = make(), make().to(dtype)
    for _ in range(3):
        first = step(expected)
        got = step(learner, dtype=dtype)
        assert all(part.isfinite() for part in got)
    assert got.agreement < 0 and first.agreement < 0
    for name in ('step', 'nodes', 'labels'):  # counts are exact
        one, two = learner.criterion, expected.criterion
        assert torch.equal(getattr(one, name), getattr(two, name))
    assert learner.edge_probs().isfinite().all()


def test_counts_of_many_steps_fit_in_half_precision(taught):
    make, step = taught
    learner = make().half()
    learner.criterion.nodes += 1_000_000
    assert step(learner, dtype=torch.half).agreement.isfinite()


@pytest.mark.parametrize('taught_there', [False, True])
@pytest.mark.parametrize('taught_here', [False, True])
def test_a_taught_state_is_loaded_in_another_precision(
    taught, taught_there, taught_here
):
    make, step = taught
    learner, double = make(), make().double()
    if taught_there:
        step(learner)
    if taught_here:
        step(double, dtype=torch.double)
    double.load_state_dict(learner.state_dict())
    assert torch.allclose(
        double.edge_probs().float(), learner.edge_probs(), atol=1e-6
    )
    step(double, dtype=torch.double)  # from which it goes on
    again = copy.deepcopy(double)
    assert torch.equal(again.edge_probs(), double.edge_probs())


def test_a_taught_state_of_other_nodes_is_refused(taught, graph, learner_of):
    make, step = taught
    learner = make()
    step(learner)
    state = learner.posterior.state_dict()
    prior = SmoothedPrior(graph, 7)
    other = learner_of(graph, prior=prior, posterior=None).posterior
    with pytest.raises(RuntimeError, match='prob'):
        other.load_state_dict(state)


def test_a_compiled_step_of_the_default_parts(taught):
    make, step = taught
    learner, expected = make(), make()
    compiled = torch.compile(learner.objective, backend='aot_eager')
    noise = learner.noise(2)
    for _ in range(3):
        for one, objective in (
            (learner, compiled),
            (expected, expected.objective),
        ):
            out = one(X, noise=noise)
            got = objective(out, Y, torch.tensor([0, 3]))
            got.loss.backward()
    for name, value in expected.state_dict().items():
        if isinstance(value, torch.Tensor):
            assert torch.allclose(learner.state_dict()[name], value), name
