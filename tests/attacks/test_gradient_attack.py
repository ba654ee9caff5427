from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import Linear, Module
from torch_geometric import seed_everything
from torch_geometric.contrib.nn import GRBCDAttack, PRBCDAttack
from torch_geometric.data import Data
from torch_geometric.nn import GCN, MLP, GATConv, GCNConv
from torch_geometric.utils import erdos_renyi_graph, to_dense_adj

from torch_geometric_vgcn import FixedGraph, evaluate, fit
from torch_geometric_vgcn.attacks import (
    GradientAttack,
    LearnerSurrogate,
    TrainedGCN,
)
from torch_geometric_vgcn.transforms import RandomPerturbation

ATTACKS = [PRBCDAttack, GRBCDAttack]
QUICK = TrainedGCN(hidden_channels=8, epochs=20)


def make(num_nodes=30, prob=0.15, seed=0):
    torch.manual_seed(seed)
    y = torch.arange(num_nodes) % 3
    x = torch.nn.functional.one_hot(y, 5) + 0.5 * torch.rand(num_nodes, 5)
    part = torch.arange(num_nodes) // 3 % 3
    return Data(
        x=x,
        y=y,
        edge_index=erdos_renyi_graph(num_nodes, prob),
        train_mask=part == 0,
        val_mask=part == 1,
        test_mask=part == 2,
    )


@pytest.fixture
def data():
    return make()


def difference(data, changed):
    n = data.num_nodes
    before, after = (
        to_dense_adj(d.edge_index, max_num_nodes=n)[0] for d in (data, changed)
    )
    upper = (after - before).triu(diagonal=1)
    return (upper == 1).nonzero().t(), (upper == -1).nonzero().t()


@settings(max_examples=20)
@given(
    num_nodes=st.integers(9, 20),
    prob=st.floats(0.2, 0.9),
    share=st.floats(0.05, 1),
    block_size=st.sampled_from([1, 20, 1000]),
    attack=st.sampled_from(ATTACKS),
    seed=st.integers(0, 100),
)
def test_any_graph(num_nodes, prob, share, block_size, attack, seed):
    data = make(num_nodes, prob, seed)
    num_edges = data.num_edges // 2
    budget = max(1, round(share * num_edges))
    transform = GradientAttack(
        budget, TrainedGCN(4, epochs=2), attack, block_size, 3, seed
    )
    if budget == num_nodes * (num_nodes - 1) // 2:
        return
    out = transform(data)
    assert out.is_undirected()
    assert out.is_coalesced()
    assert not out.has_self_loops()
    assert out.num_nodes == num_nodes
    added, removed = difference(data, out)
    assert torch.equal(out.added_pairs, added)
    assert torch.equal(out.removed_pairs, removed)
    assert added.size(1) + removed.size(1) <= budget
    assert torch.equal(transform(data).edge_index, out.edge_index)


@pytest.mark.parametrize('attack', ATTACKS)
def test_the_attacked_predictions_get_worse(data, attack):
    def surrogate(given):
        torch.manual_seed(5)
        return TrainedGCN(epochs=100)(given)

    i, j = data.edge_index
    data.edge_index = data.edge_index[:, data.y[i] == data.y[j]]
    model = surrogate(data)
    out = GradientAttack(0.3, surrogate, attack)(data)
    wrong = {}
    for name, graph in (('clean', data), ('attacked', out)):
        prob = model(data.x, graph.edge_index).softmax(-1)
        right = prob.gather(1, data.y[:, None]).view(-1)
        wrong[name] = 1 - right[data.test_mask].mean()
    assert wrong['attacked'] > wrong['clean'] + 0.1


def test_it_hurts_a_gcn_more_than_chance_does(cora):
    small = cora.subgraph(torch.arange(1000))
    small.test_mask = ~(small.train_mask | small.val_mask)
    attack = GradientAttack(
        0.25, TrainedGCN(epochs=40), block_size=5000, epochs=50
    )
    out = attack(small)
    count = out.added_pairs.size(1) + out.removed_pairs.size(1)
    assert 0 < count <= round(0.25 * small.num_edges / 2)
    drawn = RandomPerturbation(add=count)(small)

    def accuracy(data):
        seed_everything(7)
        learner = FixedGraph(GCN(1433, 16, 2, 7, dropout=0.5), data.edge_index)
        fit(learner, data, epochs=40, progress=False)
        return evaluate(learner.predict(data.x), data.y, data.test_mask)[0]

    assert accuracy(out) < accuracy(drawn) - 0.05


def test_what_a_surrogate_draws_is_seeded_too(data):
    drawn = []

    def surrogate(given):
        drawn.append(torch.rand(()))
        return QUICK(given)

    transform = GradientAttack(3, surrogate, epochs=2)
    transform(data)
    seed_everything(3)
    transform(data)
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize('kind', ATTACKS)
def test_settings_of_an_attack_stay_with_it(data, kind):
    before = dict(kind.coeffs)
    attack = partial(kind, eps=1e-3, max_trials_sampling=3, loss='margin')
    GradientAttack(3, QUICK, attack, epochs=2)(data)
    assert kind.coeffs == before
    with pytest.raises(ValueError, match='Unknown loss'):
        GradientAttack(3, QUICK, partial(attack, loss='abc'))(data)
    assert kind.coeffs == before


@pytest.mark.parametrize('layout', [torch.sparse_coo, torch.sparse_csr])
@pytest.mark.parametrize('surrogate', [QUICK, LearnerSurrogate(epochs=20)])
def test_sparse_features_are_attacked_too(data, layout, surrogate):
    data.x = (data.x > 0.4).float()
    data.x = data.x.to_sparse(layout=layout)
    out = GradientAttack(5, surrogate, epochs=3)(data)
    assert out.x.layout == layout
    assert 0 < out.added_pairs.size(1) + out.removed_pairs.size(1) <= 5


def test_without_a_test_mask_the_rest_is_attacked(data):
    data.test_mask = ~data.train_mask
    expected = GradientAttack(5, QUICK, epochs=3)(data)
    del data.test_mask
    out = GradientAttack(5, QUICK, epochs=3)(data)
    assert torch.equal(out.edge_index, expected.edge_index)


def test_the_surrogate_labels_what_has_no_label(data):
    torch.manual_seed(0)
    model = GCN(5, 4, 2, 3).eval()
    guess = model(data.x, data.edge_index).argmax(dim=-1)
    guessed = data.clone()
    guessed.y = torch.where(data.test_mask, guess, data.y)
    hidden = data.clone()
    hidden.y = data.y.masked_fill(data.test_mask, -1)
    transform = GradientAttack(5, lambda data: model, epochs=3)
    expected = transform(guessed).edge_index
    assert torch.equal(transform(hidden).edge_index, expected)
    assert not torch.equal(transform(data).edge_index, expected)


def test_a_surrogate_is_left_as_it_is(data):
    model = GCN(5, 4, 2, 3, dropout=0.5)
    before = {k: v.clone() for k, v in model.state_dict().items()}
    GradientAttack(5, lambda data: model, epochs=3)(data)
    assert model.training
    assert all(p.grad is None for p in model.parameters())
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])


def test_raw_outputs_equal_log_probabilities(data):
    class LogProbs(Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.conv = GCNConv(5, 3)

        def forward(self, x, edge_index, edge_weight):
            return self.conv(x, edge_index, edge_weight).log_softmax(-1)

    for attack in ATTACKS:
        outs = [
            GradientAttack(5, surrogate, attack, epochs=5)(data)
            for surrogate in (lambda d: LogProbs(), lambda d: LogProbs().conv)
        ]
        assert torch.equal(outs[0].edge_index, outs[1].edge_index)


class Forgets(Module):
    """Takes edge weights and uses them only in words."""

    def __init__(self):
        super().__init__()
        self.lin = Linear(5, 3)

    def forward(self, x, edge_index, edge_weight):
        return self.lin(x) + 0 * edge_weight.sum()


@pytest.mark.parametrize(
    'model',
    [lambda: MLP([5, 8, 3]), Forgets],
    ids=['no gradient', 'zero gradient'],
)
def test_a_surrogate_that_ignores_the_graph_is_detected(data, model):
    class Plain(Module):
        def __init__(self):
            super().__init__()
            self.inner = model()

        def forward(self, x, edge_index, edge_weight):
            if isinstance(self.inner, MLP):
                return self.inner(x)
            return self.inner(x, edge_index, edge_weight)

    with pytest.raises(ValueError, match="'surrogate' must use the graph"):
        GradientAttack(3, lambda data: Plain())(data)


@pytest.mark.parametrize(
    ('surrogate', 'error', 'message'),
    [
        (lambda d: None, TypeError, r"'surrogate\(data\)' must be a Module"),
        (lambda d: GATConv(5, 3), TypeError, "'surrogate' .*'edge_weight'"),
        (lambda d: GCNConv(9, 3), TypeError, "'surrogate' .*can't be called"),
        (lambda d: GCNConv(5, 2), ValueError, 'classes below 2'),
        (lambda d: GCNConv(5, 1), ValueError, 'one output per class'),
    ],
)
def test_wrong_surrogates_are_refused(data, surrogate, error, message):
    with pytest.raises(error, match=message):
        GradientAttack(3, surrogate)(data)


def test_budgets_that_dont_fit_the_graph_are_refused(data):
    count = data.num_edges // 2
    with pytest.raises(ValueError, match=f"'budget' must be at most {count}"):
        GradientAttack(count + 1, QUICK)(data)
    with pytest.raises(ValueError, match="'budget' must amount to at least"):
        GradientAttack(1e-4, QUICK)(data)
    whole = make(9, 1.0)
    with pytest.raises(ValueError, match="'budget' must be below"):
        GradientAttack(36, QUICK)(whole)
    out = GradientAttack(35, QUICK, epochs=2, block_size=1)(whole)
    assert 0 < out.removed_pairs.size(1) <= 35


def test_blocks_that_never_suffice_are_reported(data):
    attack = partial(PRBCDAttack, max_trials_sampling=0)
    with pytest.raises(RuntimeError, match="raise 'block_size'"):
        GradientAttack(3, QUICK, attack)(data)


def test_graphs_of_another_kind_are_refused(data):
    transform = GradientAttack(3, QUICK)

    def without(name):
        given = data.clone()
        given.num_nodes = 30
        del given[name]
        return given

    with pytest.raises(TypeError, match="'data.x' must be a Tensor"):
        transform(without('x'))
    with pytest.raises(ValueError, match="'data.y' must hold one class id"):
        transform(without('y'))
    given = without('test_mask')
    del given.train_mask
    with pytest.raises(ValueError, match="must have 'test_mask' or 'train_"):
        transform(given)
    with pytest.raises(ValueError, match="'data' must have 'train_mask'"):
        transform(without('train_mask'))
    given = without('test_mask')
    given.train_mask = torch.ones(30, dtype=torch.bool)
    with pytest.raises(ValueError, match='must leave nodes to attack'):
        transform(given)
    given = data.clone()
    given.edge_index = data.edge_index[:, :0]
    with pytest.raises(ValueError, match='empty graph'):
        transform(given)
    given.edge_index = data.edge_index[:, data.edge_index.diff(dim=0)[0] > 0]
    with pytest.raises(ValueError, match='directed graph'):
        transform(given)


@pytest.mark.parametrize(
    ('arguments', 'error'),
    [
        ({'budget': 0}, ValueError),
        ({'budget': -0.5}, ValueError),
        ({'budget': 1.5}, ValueError),
        ({'budget': float('nan')}, ValueError),
        ({'budget': True}, TypeError),
        ({'budget': '5'}, TypeError),
        ({'attack': None}, TypeError),
        ({'attack': GCN}, TypeError),
        ({'block_size': 0}, ValueError),
        ({'epochs': 2.5}, TypeError),
    ],
)
def test_bad_arguments_are_refused(arguments, error):
    (name,) = arguments
    with pytest.raises(error, match=f"'{name}' "):
        GradientAttack(**{'budget': 3, **arguments})
