import copy

import pytest
import torch
from torch_geometric.nn import GCN, GCNConv
from torch_geometric.utils import to_networkx

from torch_geometric_vgcn import (
    AllPairs,
    AmortizedPosterior,
    Bernoulli,
    BinaryConcrete,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)


@pytest.fixture
def learner(graph):
    torch.manual_seed(0)
    return VariationalGraphLearner(
        GCN(3, 8, 2, 2, dropout=0.5),
        prior=SmoothedPrior(graph, 6),
        posterior=FreePosterior(),
    )


X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 0, 0, 1, 1, 1])
MASK = torch.tensor([True, True, False, False, True, True])


def test_the_five_lines_of_the_readme(learner):
    out = learner(X, num_samples=3)
    assert out.shape == (3, 6, 2)
    bound = learner.objective(out, Y, MASK)
    bound.loss.backward()
    assert (learner.posterior.offset.grad != 0).all()
    prob = learner.predict(X, num_samples=4)
    assert torch.allclose(prob.sum(-1), torch.ones(6))
    graph = learner.learned_graph(threshold=0.5)
    assert graph.is_undirected() and graph.num_nodes == 6
    assert graph.edge_prob.shape == (graph.num_edges,)
    network = to_networkx(graph, edge_attrs=['edge_prob'], to_undirected=True)
    assert network.number_of_edges() == graph.num_edges // 2


def test_one_sample_has_the_shape_of_the_conv(learner):
    assert learner(X).shape == (6, 2)
    learner.objective(learner(X), Y, MASK).loss.backward()


def test_as_a_layer_inside_a_model(graph):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            prior = SmoothedPrior(graph, 6)
            self.conv1 = VariationalGraphLearner(
                GCNConv(3, 8), prior, posterior=FreePosterior()
            )
            self.conv2 = GCNConv(8, 2)

        def forward(self, x, edge_index):
            x = self.conv1(x, edge_index).relu()
            return self.conv2(x, edge_index)

    model = Model()
    out = model(X, graph)
    assert out.shape == (6, 2)
    model.conv1.objective(out, Y, MASK).loss.backward()
    assert model.conv1.posterior.offset.grad.abs().sum() > 0
    model(X, graph.flip(0))  # the same undirected graph
    with pytest.raises(ValueError, match='the graph that the prior was made'):
        model(X, graph[:, 2:7])


def test_dense_model_equals_candidate_model_under_the_same_noise(graph):
    # All 15 pairs are candidates, so there is no background.
    complete = AllPairs(6).index
    torch.manual_seed(0)
    conv = GCN(3, 8, 2, 2)
    candidates = type(SmoothedPrior(graph, 6).pairs)(complete, 6)
    learners = [
        VariationalGraphLearner(
            conv,
            SmoothedPrior(graph, 6, rho0=0.2, pairs=pairs),
            posterior=FreePosterior(),
        )
        for pairs in (AllPairs(6), candidates)
    ]
    noise = learners[0].noise(num_samples=3)
    noise.background = None
    bounds, grads = [], []
    for learner in learners:
        learner.posterior.offset.data += torch.linspace(-1, 1, 15)
        out = learner(X, noise=noise)
        bounds.append(learner.objective(out, Y, MASK).bound)
        parameters = [learner.posterior.offset, *conv.parameters()]
        grads.append(torch.autograd.grad(bounds[-1], parameters))
    assert torch.allclose(*bounds, atol=1e-5)
    for dense, sparse in zip(*grads, strict=True):
        assert torch.allclose(dense, sparse, atol=1e-5)


def test_dense_and_background_models_predict_the_same(citeseer):
    # The paper's model and ours, on a piece of real data.
    data = citeseer.subgraph(torch.arange(400))
    torch.manual_seed(0)
    conv = GCN(data.num_features, 8, 2, 6).eval()
    probs = [
        VariationalGraphLearner(
            conv,
            SmoothedPrior(data.edge_index, 400, rho0=1e-3, pairs=pairs),
            posterior=FreePosterior(),
        ).predict(data.x, num_samples=200)
        for pairs in (AllPairs(400), None)
    ]
    scale = probs[0].std()
    assert (probs[0] - probs[1]).abs().mean() < 0.05 * scale


def test_mini_batch_of_nodes(learner):
    node_id = torch.tensor([4, 0, 1])
    batch = learner.prior.subset(node_id)
    out = learner(X[node_id], prior=batch)
    assert out.shape == (3, 2)
    learner.objective(out, Y[node_id], num_labeled=4, kl_scale=2.0)
    assert len(learner.sample.prior.pairs) == len(batch.pairs)


def test_unseen_nodes_are_served_by_an_encoder(graph):
    learner = VariationalGraphLearner(
        GCN(3, 8, 2, 2),
        SmoothedPrior(graph, 6),
        posterior=AmortizedPosterior(torch.nn.Linear(3, 4))
        + AmortizedPosterior(torch.nn.Linear(3, 4)),
    )
    more = torch.cat([graph, torch.tensor([[6, 7], [0, 6]])], dim=1)
    x = torch.cat([X, torch.randn(2, 3)])
    prior = SmoothedPrior(more, 8)
    assert learner.predict(x, prior=prior).shape == (8, 2)
    assert learner.learned_graph(0.0, x, prior).num_nodes == 8


def test_predict_leaves_no_trace(learner):
    learner.train()
    out = learner(X, num_samples=2)
    sample = learner.sample
    learner.predict(X, num_samples=3)
    assert learner.training and learner.sample is sample
    learner.objective(out, Y, MASK).loss.backward()


def test_same_seed_same_result(learner):
    outs = []
    for _ in range(2):
        torch.manual_seed(3)
        outs.append(learner(X, num_samples=2))
    assert torch.equal(*outs)
    generator = torch.Generator()
    noises = [
        learner.noise(2, generator.manual_seed(5)).logistic for _ in range(2)
    ]
    assert torch.equal(*noises)


def test_reset_parameters_starts_anew(learner):
    learner.posterior.offset.data += 1
    learner.reset_parameters()
    assert torch.allclose(learner.edge_probs(), learner.prior.probs)


def test_copies_and_states(learner, graph):
    learner(X, num_samples=2)
    other = copy.deepcopy(learner)
    assert other.sample is None and learner.sample is not None
    fresh = VariationalGraphLearner(
        GCN(3, 8, 2, 2, dropout=0.5),
        prior=SmoothedPrior(graph, 6),
        posterior=FreePosterior(),
    )
    fresh.load_state_dict(learner.state_dict())
    noise = learner.noise(2)
    outs = [model.eval()(X, noise=noise) for model in (learner, other, fresh)]
    assert torch.equal(outs[0], outs[1]) and torch.equal(outs[0], outs[2])


def test_float64(learner):
    learner = learner.double()
    out = learner(X.double(), num_samples=2)
    assert out.dtype == torch.double
    learner.objective(out, Y, MASK).loss.backward()


def test_sparse_features_equal_dense_ones(learner):
    noise = learner.eval().noise(2)
    dense = learner(X, noise=noise)
    sparse = learner(X.to_sparse_csr(), noise=noise)
    assert torch.allclose(dense, sparse, atol=1e-6)


def test_repr_says_route_and_threshold(learner):
    text = str(learner)
    assert 'route=matrix' in text
    assert 'background pairs: kept above' in text


@pytest.mark.parametrize(
    'call, message',
    [
        (lambda m: m(X[:4]), "'x' must have one row for each of the 6 nodes"),
        (lambda m: m(X * float('nan')), "'x' must be finite"),
        (lambda m: m(X, num_samples=0), "'num_samples' must be at least 1"),
        (lambda m: m.predict(X, 0), "'num_samples' must be at least 1"),
        (lambda m: m.learned_graph(1.5), "'threshold' must lie between"),
        (
            lambda m: m.objective(m(X), Y, torch.zeros(6, dtype=torch.bool)),
            "'mask' selects no node",
        ),
        (
            lambda m: m.objective(m(X), Y, MASK[:3]),
            "'mask' must have shape",
        ),
        (
            lambda m: m.objective(m(X), Y[:3], MASK),
            "'y' must hold one int64 class id",
        ),
        (
            lambda m: m.objective(m(X, num_samples=2)[0], Y, MASK),
            "'out' must hold 2 outputs",
        ),
    ],
)
def test_bad_input(learner, call, message):
    with pytest.raises(ValueError, match=message):
        call(learner)


def test_objective_before_any_graph(learner):
    with pytest.raises(RuntimeError, match='call the learner before'):
        learner.objective(torch.zeros(6, 2), Y, MASK)


def test_temperature_too_high_is_found_at_once(graph):
    with pytest.raises(ValueError, match="'temperature' must be below 1"):
        VariationalGraphLearner(
            GCNConv(3, 2),
            SmoothedPrior(graph, 6),
            sampler=BinaryConcrete(1.5),
            posterior=FreePosterior(),
        )


def test_bad_features_are_found_also_where_good_ones_lived_before(learner):
    for _ in range(20):
        learner(torch.randn(6, 3))
        with pytest.raises(ValueError, match="'x' must be finite"):
            learner(torch.full((6, 3), torch.inf))


def test_defaults_follow_the_sampler(graph):
    prior = SmoothedPrior(graph, 6)
    learner = VariationalGraphLearner(
        GCNConv(3, 2), prior, FreePosterior(), Bernoulli()
    )
    out = learner(X, num_samples=2)
    learner.objective(out, Y, MASK).loss.backward()
    assert learner.posterior.offset.grad.abs().sum() > 0
