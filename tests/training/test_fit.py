"""Training in epochs, with and without a loader."""

import copy

import pytest
import torch
from torch.nn.functional import log_softmax
from torch_geometric import seed_everything
from torch_geometric.data import HeteroData
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN, SimpleConv

from torch_geometric_vgcn import (
    FixedGraph,
    FreePosterior,
    LogisticKL,
    SemiSupervisedELBO,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
    fit,
)
from torch_geometric_vgcn.loader import ClusterData, PairWeight
from torch_geometric_vgcn.objective import IWELBO, Consistency, Term
from torch_geometric_vgcn.training import optimizers

pytestmark = pytest.mark.filterwarnings(
    'ignore:.*SemiSupervisedELBO:DeprecationWarning'
)
SETTINGS = {'epochs': 12, 'patience': 12, 'progress': False}
BATCHED = pytest.mark.parametrize('batched', [False, True])
NAN, INF = float('nan'), float('inf')


class Entropy(Term):
    r"""A user's own term, on all nodes."""

    def loss(self, out, y, mask):
        log_prob = log_softmax(out, dim=-1)
        return -(log_prob.exp() * log_prob).sum(dim=-1).mean()


def karate():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


DATA = karate()
CLUSTERS = ClusterData(DATA, 4, log=False)


def learner_of(seed=0, outputs=4, **parts):
    seed_everything(seed)
    return VariationalGraphLearner(
        GCN(34, 8, 2, outputs, dropout=0.5),
        SmoothedPrior(DATA.edge_index, 34),
        **{'posterior': FreePosterior(), **parts},
    )


def fixed(outputs=4, **options):
    seed_everything(0)
    return FixedGraph(GCN(34, 8, 2, outputs, **options), DATA.edge_index)


def latent(**options):
    return learner_of(objective=SemiSupervisedELBO(LogisticKL(), **options))


def loader():
    return ClusterLoader(CLUSTERS, batch_size=2, shuffle=True)


def train(batched, learner, data=DATA, **options):
    batches = () if not batched else (loader(),)
    return fit(learner, data, *batches, **{**SETTINGS, **options})


# What it does


def test_it_learns_and_keeps_the_best_state():
    learner = learner_of()
    result = fit(learner, DATA, epochs=80, progress=False)
    assert result.val_acc > 0.6
    rows = result.history
    whole = rows[49:]  # from which on agreement has its full weight
    best = max(whole, key=lambda row: (row['val_acc'], -row['val_nll']))
    assert rows.index(best) == result.best_epoch
    assert rows[-1]['log_likelihood'] > rows[0]['log_likelihood']
    assert set(rows[0]) == {
        'bound', 'log_likelihood', 'agreement', 'kl', 'terms', 'loss',
        'val_acc', 'val_nll',
    }  # fmt: skip
    assert not torch.allclose(learner.edge_probs(), learner.prior.probs)
    acc, _ = evaluate(learner.predict(DATA.x, 64), DATA.y, DATA.val_mask)
    assert abs(acc - result.val_acc) < 0.2


def own_steps(batched, learner, terms):
    r"""The steps of one epoch, written out."""
    nodes = DATA.train_mask.nonzero().view(-1)
    steps = optimizers(learner, nodes.numel() / (1 if not batched else 2))
    if not batched:
        batches, weight = [torch.arange(34)], None
    else:
        given = loader()
        weight = PairWeight(given)
        batches = (batch.n_id for batch in given)
    for n_id in batches:
        learner.zero_grad()
        if not batched:
            out = learner(DATA.x, num_samples=3)
            loss = learner.objective(out, DATA.y, nodes).loss
            train = nodes
        else:
            prior = learner.prior.subset(n_id)
            out = learner(DATA.x[n_id], num_samples=3, prior=prior)
            train = DATA.train_mask[n_id].nonzero().view(-1)
            bound = learner.objective(
                out, DATA.y[n_id], train, train.numel(), weight(prior)
            )
            loss = -bound.bound * 2 / nodes.numel()
        for term in terms:
            loss = loss + term(out, DATA.y[n_id], train)
        loss.backward()
        for optimizer in steps:
            optimizer.step()


@BATCHED
@pytest.mark.parametrize('count', [0, 1, 2])
def test_a_step_is_along_the_bound_and_all_terms(batched, count):
    objective = IWELBO(LogisticKL())
    expected = learner_of(objective=objective)
    own_steps(batched, expected, [Entropy()] * count)
    learner = learner_of(objective=objective)  # from the same seed
    terms = [Entropy() for _ in range(count)]
    train(batched, learner, terms=terms, epochs=1)
    for name, value in expected.named_parameters():
        got = learner.get_parameter(name)
        torch.testing.assert_close(got, value, rtol=1e-5, atol=1e-7)


def test_patience_stops_early_but_not_before_full_weight():
    result = fit(learner_of(), DATA, epochs=500, patience=3, progress=False)
    assert len(result.history) == result.best_epoch + 4
    result = fit(latent(warmup=10), DATA, **{**SETTINGS, 'patience': 1})
    assert len(result.history) >= 10


@pytest.mark.parametrize('warmup', [6, 1000])
def test_the_best_epoch_is_one_at_full_weight(warmup):
    result = fit(latent(warmup=warmup), DATA, **SETTINGS)
    assert result.warmup_done == (warmup < 12)
    first = warmup - 1 if result.warmup_done else 0  # or of those there are
    chosen = result.history[result.best_epoch]
    later = [(r['val_acc'], -r['val_nll']) for r in result.history[first:]]
    assert result.best_epoch >= first
    assert max(later) == (chosen['val_acc'], -chosen['val_nll'])


def test_a_second_run_goes_on_from_full_agreement():
    learner = latent(warmup=5)
    first, step = train(False, learner), int(learner.criterion.step)
    assert first.warmup_done and step == first.best_epoch + 1 >= 5
    assert train(False, learner, epochs=2).warmup_done
    learner.reset_parameters()
    assert not train(False, learner, epochs=2).warmup_done


@BATCHED
@pytest.mark.parametrize('dtype', [torch.int64, torch.int32])
def test_node_indices_are_masks(batched, dtype, same_state):
    learner, other, data = learner_of(), learner_of(), DATA.clone()
    seed_everything(1)
    expected = train(batched, learner)
    for name in ('train_mask', 'val_mask'):
        nodes = data[name].nonzero().view(-1).flip(0)  # in any order
        data[name] = nodes.to(dtype)
    seed_everything(1)
    assert train(batched, other, data) == expected
    assert same_state(learner, other)


def test_modules_in_evaluation_mode_stay_in_it():
    model = fixed(norm='batch_norm')
    norm = model.conv.norms
    norm.eval()
    before = copy.deepcopy(norm[0].module.running_mean)
    fit(model, DATA, epochs=3, progress=False)
    assert torch.equal(norm[0].module.running_mean, before)
    # A whole model in evaluation mode, as now, is set to training mode:
    assert not any(module.training for module in model.modules())
    fit(model, DATA, epochs=3, progress=False)
    assert not torch.equal(norm[0].module.running_mean, before)


@BATCHED
def test_a_loss_that_is_not_finite_stops_the_run_with_the_model_intact(
    batched,
):
    class Broken(Term):
        def loss(self, out, y, mask):
            return out.sum() * NAN

    learner = learner_of()
    with pytest.raises(FloatingPointError, match='the loss became nan in ep'):
        train(batched, learner, terms=[Broken()])
    learner.posterior.offset.data.fill_(torch.inf)
    with pytest.raises(FloatingPointError, match='the loss became (nan|inf)'):
        train(batched, learner)
    assert all(p.isfinite().all() for p in learner.conv.parameters())


# Deprecated terms


@BATCHED
@pytest.mark.parametrize('bound', [IWELBO, SemiSupervisedELBO])
def test_consistency_is_the_bound_with_latent_labels(
    batched, bound, same_state
):
    options = {'weight': 3.0, 'warmup': 4}
    wanted = latent(**options)
    expected = train(batched, wanted)
    for _ in range(2):  # the second time the same object starts again
        learner = learner_of(objective=bound(LogisticKL()))
        term = Consistency(4, **options).eval()
        with pytest.warns(DeprecationWarning, match="'terms' is deprecated"):
            assert train(batched, learner, terms=[term]) == expected
        assert same_state(learner, wanted) and term.settled
    with pytest.raises(ValueError, match="'out' must have 3 columns, .*got 4"):
        train(batched, learner_of(), terms=[Consistency(3)])


def test_other_terms_are_another_run(tmp_path):
    options = {'checkpoint': tmp_path / 'run.pt', 'epochs': 2}
    train(False, learner_of(), terms=[Entropy()], **options)
    for terms, message in [
        ([], r'terms\.0 is .*Entropy there, None here'),
        ([Entropy(), Entropy()], r'terms\.1 is None there, .*Entropy'),
    ]:
        with pytest.raises(ValueError, match=f'of another run: .*{message}'):
            train(False, learner_of(), terms=terms, **options)
    train(False, learner_of(), terms=[Entropy()], **options)


# What is refused, before any step

BAD_DATA = {
    'train_mask': [torch.zeros(34).bool(), None],
    'val_mask': [
        torch.zeros(34).bool(),
        torch.ones(30).bool(),
        torch.ones(34),
        [True] * 34,
        torch.tensor([34]),
        torch.tensor([-1]),
        torch.tensor([3, 3]),
        None,
    ],
    'x': [torch.full((34, 34), NAN), torch.ones(34, 34).long(), None],
    'y': [
        torch.full((34,), -1),
        torch.zeros(34),
        torch.arange(34),
        DATA.y.masked_fill(DATA.val_mask, 7),  # which has no output
        [0] * 34,
        None,
    ],
}


@pytest.mark.parametrize('name', BAD_DATA)
@pytest.mark.parametrize('make', [learner_of, fixed])
def test_bad_data(make, name, same_state):
    model = make()
    before = copy.deepcopy(model.state_dict())
    for value in BAD_DATA[name]:
        data = DATA.clone()
        data[name] = value
        with pytest.raises((TypeError, ValueError), match=f"'(data.)?{name}'"):
            fit(model, data, progress=False)
    assert same_state(model, before)
    with pytest.raises(TypeError, match='one type of nodes.*HeteroData'):
        fit(model, HeteroData(), progress=False)
    data = DATA.clone()
    data.y = (data.y > 1).long()
    with pytest.raises(ValueError, match='two classes need two outputs'):
        fit(make(outputs=1), data, progress=False)


COUNTS = ('epochs', 'num_samples', 'patience', 'checkpoint_every')
RATES = ('lr', 'logit_lr', 'weight_decay')


@pytest.mark.parametrize(
    'names, values, error',
    [
        (COUNTS, [0.5, 2.0, True, '3', None], TypeError),
        (COUNTS, [0, -1], ValueError),
        (RATES, ['0.1', True, [0.1]], TypeError),
        (RATES, [NAN, INF, -0.1], ValueError),
        (('lr', 'logit_lr'), [0], ValueError),
        (('logit_optimizer',), ['SGD', 0.1], TypeError),
        (('checkpoint',), [3, True], TypeError),
        (('progress',), ['yes', None], TypeError),
        (('terms',), [None, 'abc', Entropy(), [0.1]], TypeError),
        (('loader',), [[DATA]], TypeError),
        (('learner',), [GCN(34, 8, 2, 4), None], TypeError),
    ],
)
def test_bad_settings(names, values, error, same_state):
    learner = learner_of()
    before = copy.deepcopy(learner.state_dict())
    for name in names:
        for value in values:
            with pytest.raises(error, match=f"'{name}' must be "):
                fit(**{'learner': learner, 'data': DATA, name: value})
    assert same_state(learner, before)


def test_data_and_learner_must_be_on_one_device():
    with pytest.raises(ValueError, match="'data.x' is on cpu and .*on meta"):
        fit(learner_of().to('meta'), DATA, progress=False)
    learner = learner_of()
    learner.conv.to('meta')
    with pytest.raises(ValueError, match="'learner' must be on one device"):
        fit(learner, DATA, progress=False)


def test_a_learner_without_parameters_is_refused():
    model = FixedGraph(SimpleConv(), DATA.edge_index)
    with pytest.raises(ValueError, match='no parameter that requires a grad'):
        fit(model, DATA, progress=False)
