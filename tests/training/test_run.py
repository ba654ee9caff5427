"""Further terms of the loss, and what a run remembers, in both loops."""

import pytest
import torch
from torch.nn.functional import log_softmax
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ClassPosterior,
    FixedGraph,
    FreePosterior,
    LogisticKL,
    SemiSupervisedELBO,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.loader import ClusterData, PairWeight
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.objective import IWELBO, Consistency, Term
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.training import optimizers
from torch_geometric_vgcn.training.loader_batches import batches_of
from torch_geometric_vgcn.utils.ranks import Ranks

pytestmark = pytest.mark.filterwarnings(
    'ignore:.*SemiSupervisedELBO:DeprecationWarning'
)
SETTINGS = {'epochs': 12, 'patience': 12, 'progress': False}
BATCHED = pytest.mark.parametrize('batched', [False, True])


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


def learner_of(posterior=None, net=None, seed=0, objective=None):
    seed_everything(seed)
    pairs = Candidates(DATA.edge_index, 34)
    return VariationalGraphLearner(
        net or GCN(34, 8, 2, 4, dropout=0.5),
        SmoothedPrior(DATA.edge_index, 34, pairs=pairs),
        posterior or FreePosterior(),
        objective=objective or IWELBO(LogisticKL()),
    )


def loader():
    return ClusterLoader(CLUSTERS, batch_size=2, shuffle=True)


def train(batched, learner, data=DATA, **options):
    batches = () if not batched else (loader(),)
    return fit(learner, data, *batches, **{**SETTINGS, **options})


def same(first, second):
    first, second = first.state_dict(), second.state_dict()
    return first.keys() == second.keys() and all(
        torch.equal(first[name], second[name])
        for name in first
        if isinstance(first[name], torch.Tensor)
    )


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
@pytest.mark.parametrize(
    'terms',
    [
        lambda: [],
        lambda: [Consistency(4, weight=5.0, warmup=0)],
        lambda: (Entropy(), Consistency(4, warmup=1)),
    ],
    ids=['none', 'one', 'two'],
)
def test_the_loss_is_the_bound_and_all_terms(batched, terms):
    learner, expected = learner_of(), learner_of()
    own_steps(batched, expected, terms())
    learner = learner_of()  # from the same seed
    train(batched, learner, terms=terms(), epochs=1)
    for name, value in expected.named_parameters():
        got = learner.get_parameter(name)
        torch.testing.assert_close(got, value, rtol=1e-5, atol=1e-7)


@BATCHED
def test_terms_change_what_is_learned(batched):
    plain, weighted = learner_of(), learner_of()
    train(batched, plain)
    weighted = learner_of()
    train(batched, weighted, terms=[Consistency(4, weight=3.0, warmup=0)])
    assert not same(plain, weighted)


def test_a_fixed_graph_takes_terms():
    results = []
    for terms in ([], [Entropy()]):
        seed_everything(0)
        model = FixedGraph(GCN(34, 8, 2, 4), DATA.edge_index)
        results.append(fit(model, DATA, terms=terms, **SETTINGS))
    assert results[0] != results[1]


@BATCHED
def test_the_same_seed_gives_the_same_run(batched):
    term, runs = Consistency(4, weight=2.0, warmup=5), []
    for _ in range(2):  # the second time the same object starts again
        learner = learner_of(FreePosterior() + ClassPosterior(4))
        runs.append((train(batched, learner, terms=[term]), learner))
    assert runs[0][0] == runs[1][0]
    assert same(runs[0][1], runs[1][1])
    assert term.step == (12 if not batched else 24)
    assert term.count.sum() == 12 * int(DATA.train_mask.sum())


@BATCHED
def test_a_term_in_evaluation_mode_is_set_to_training_mode(batched):
    term = Consistency(4).eval()
    train(batched, learner_of(), terms=[term], epochs=2)
    assert term.step > 0


@BATCHED
@pytest.mark.parametrize(
    'kind', ['consistency', 'classes', 'propagated', 'latent labels']
)
def test_resume_is_bit_identical(batched, kind, tmp_path, interrupted):
    def make(seed):
        posterior = FreePosterior()
        if kind != 'consistency':
            posterior = posterior + ClassPosterior(4)
        seed_everything(seed)
        net = PropagatedMLP(34, 8, 4) if kind == 'propagated' else None
        if kind == 'latent labels':  # whose number isn't known at first
            posterior = FreePosterior() + ClassPosterior()
            bound = SemiSupervisedELBO(LogisticKL(), weight=2.0, warmup=20)
            return learner_of(posterior, net, seed, bound)
        return learner_of(posterior, net, seed)

    def terms():
        if kind == 'latent labels':
            return []
        # In its warm-up when the run is cut off:
        return [Consistency(4, weight=2.0, warmup=50)]

    whole = make(0)
    expected = train(batched, whole, terms=terms())
    options = {'checkpoint': tmp_path / 'run.pt', 'checkpoint_every': 3}
    first = make(0)
    with interrupted(first, steps=16 if batched else 8):
        train(batched, first, terms=terms(), **options)
    learner = make(7)
    result = train(batched, learner, terms=terms(), **options)
    assert result == expected
    assert same(learner, whole)


@BATCHED
def test_other_terms_are_another_run(batched, tmp_path):
    options = {'checkpoint': tmp_path / 'run.pt', 'epochs': 2}
    train(batched, learner_of(), terms=[Consistency(4)], **options)
    for terms, message in [
        ([], r'terms\.0 is .*Consistency there, None here'),
        ([Entropy()], r'terms\.0 is .*Consistency there, .*Entropy here'),
        ([Consistency(4), Entropy()], r'terms\.1 is None there, .*Entropy'),
        ([Consistency(4, weight=2.0)], r'terms\.0\.weight is 1\.0 there, 2\.'),
        ([Consistency(4, 1.0, 0.3)], r'terms\.0\.temperature is 0\.5 there'),
        ([Consistency(4, warmup=9)], r'terms\.0\.warmup is 50 there, 9 here'),
    ]:
        with pytest.raises(ValueError, match=f'of another run: .*{message}'):
            train(batched, learner_of(), terms=terms, **options)
    train(batched, learner_of(), terms=[Consistency(4)], **options)


def test_another_class_posterior_is_another_run(tmp_path):
    options = {'checkpoint': tmp_path / 'run.pt', 'epochs': 2}
    train(False, learner_of(ClassPosterior(4)), **options)
    for posterior, message in [
        (
            ClassPosterior(4, 0.7),
            r'posterior\.homophily is 0\.9 there, 0\.7',
        ),
        (
            ClassPosterior(4, momentum=0.2),
            r'posterior\.momentum is 0\.1 there',
        ),
    ]:
        with pytest.raises(ValueError, match=f'of another run: {message}'):
            train(False, learner_of(posterior), **options)


@BATCHED
@pytest.mark.parametrize(
    'terms, message',
    [
        (Consistency(4), "'terms' must be a Sequence, got Consistency"),
        ([Consistency(4), None], "'terms' must be a Term, got NoneType"),
        ('abc', "'terms' must be a Term, got str"),
    ],
)
def test_what_is_no_term_is_refused(batched, terms, message):
    with pytest.raises(TypeError, match=message):
        train(batched, learner_of(), terms=terms)


@BATCHED
def test_a_term_of_other_classes_is_refused(batched):
    with pytest.raises(ValueError, match="'out' must have 3 columns, .*got 4"):
        train(batched, learner_of(), terms=[Consistency(3)])


@BATCHED
def test_a_term_that_is_not_finite_stops_the_run(batched):
    class Broken(Term):
        def loss(self, out, y, mask):
            return out.sum() * float('nan')

    with pytest.raises(FloatingPointError, match='the loss became nan in ep'):
        train(batched, learner_of(), terms=[Broken()])


@pytest.mark.parametrize('together', [False, True])
def test_several_processes_have_no_class_posterior(together):
    posterior = ClassPosterior(4)
    if together:
        posterior = FreePosterior(sparse=True) + posterior
    learner = learner_of(posterior)
    learner.likelihood.set_temperature(2.0)
    message = "'learner' must not have a ClassPosterior with 2 processes"
    with pytest.raises(ValueError, match=message):
        batches_of(learner, DATA, loader(), Ranks(0, 2))
    assert learner.likelihood.temperature == 2  # before any work


def test_the_best_epoch_is_one_with_all_terms_at_full_weight():
    term = Consistency(4, warmup=6)
    result = fit(learner_of(), DATA, terms=[term], **SETTINGS)
    assert result.warmup_done and result.best_epoch >= 5
    chosen = result.history[result.best_epoch]
    later = [(r['val_acc'], -r['val_nll']) for r in result.history[5:]]
    assert max(later) == (chosen['val_acc'], -chosen['val_nll'])


def test_a_run_that_is_too_short_for_its_terms_keeps_its_best_epoch():
    term = Consistency(4, warmup=1000)
    result = fit(learner_of(), DATA, terms=[term], **SETTINGS)
    assert not result.warmup_done and result.val_acc >= 0
    best = max(row['val_acc'] for row in result.history)
    assert result.val_acc == best


def test_patience_waits_for_the_terms():
    term = Consistency(4, warmup=10)
    settings = {**SETTINGS, 'patience': 1}
    result = fit(learner_of(), DATA, terms=[term], **settings)
    assert len(result.history) >= 10


@BATCHED
def test_agreement_is_not_counted_twice(batched):
    bound = SemiSupervisedELBO(LogisticKL())
    learner = learner_of(objective=bound)
    learner.likelihood.set_temperature(2.0)
    with pytest.raises(ValueError, match="'terms' has a Consistency"):
        train(batched, learner, terms=[Consistency(4)])
    assert learner.likelihood.temperature == 2  # before any work
    train(batched, learner, epochs=1)
    with pytest.warns(DeprecationWarning, match="'terms' is deprecated"):
        train(batched, learner_of(), terms=[Entropy()], epochs=1)


def test_a_second_run_goes_on_from_full_agreement():
    bound = SemiSupervisedELBO(LogisticKL(), warmup=5)
    learner = learner_of(objective=bound)
    first = train(False, learner)
    assert first.warmup_done and int(bound.step) == first.best_epoch + 1 >= 5
    assert train(False, learner, epochs=2).warmup_done
    learner.reset_parameters()
    assert not train(False, learner, epochs=2).warmup_done
