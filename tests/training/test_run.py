"""What a run remembers, with and without a loader, and deprecated terms."""

import pytest
import torch
from torch.nn.functional import log_softmax
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ClassPosterior,
    FreePosterior,
    LogisticKL,
    SemiSupervisedELBO,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.loader import ClusterData, PairWeight
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
        lambda: [Entropy()],
        lambda: (Entropy(), Entropy()),
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
@pytest.mark.parametrize('bound', [IWELBO, SemiSupervisedELBO])
def test_consistency_is_the_bound_with_latent_labels(batched, bound):
    options = {'weight': 3.0, 'warmup': 4}
    wanted = learner_of(objective=SemiSupervisedELBO(LogisticKL(), **options))
    expected = train(batched, wanted)
    for _ in range(2):  # the second time the same object starts again
        learner = learner_of(objective=bound(LogisticKL()))
        term = Consistency(4, **options).eval()
        with pytest.warns(DeprecationWarning, match="'terms' is deprecated"):
            assert train(batched, learner, terms=[term]) == expected
        assert same(learner, wanted) and term.settled
    learner = learner_of()
    with pytest.raises(ValueError, match="'out' must have 3 columns, .*got 4"):
        train(batched, learner, terms=[Consistency(3)])


@BATCHED
def test_other_terms_are_another_run(batched, tmp_path):
    options = {'checkpoint': tmp_path / 'run.pt', 'epochs': 2}
    train(batched, learner_of(), terms=[Entropy()], **options)
    for terms, message in [
        ([], r'terms\.0 is .*Entropy there, None here'),
        ([Entropy(), Entropy()], r'terms\.1 is None there, .*Entropy'),
    ]:
        with pytest.raises(ValueError, match=f'of another run: .*{message}'):
            train(batched, learner_of(), terms=terms, **options)
    train(batched, learner_of(), terms=[Entropy()], **options)


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


@pytest.mark.parametrize('warmup', [6, 1000])
def test_the_best_epoch_is_one_at_full_weight(warmup):
    bound = SemiSupervisedELBO(LogisticKL(), warmup=warmup)
    result = fit(learner_of(objective=bound), DATA, **SETTINGS)
    assert result.warmup_done == (warmup < 12)
    first = warmup - 1 if result.warmup_done else 0  # or of those there are
    chosen = result.history[result.best_epoch]
    later = [(r['val_acc'], -r['val_nll']) for r in result.history[first:]]
    assert result.best_epoch >= first
    assert max(later) == (chosen['val_acc'], -chosen['val_nll'])


def test_patience_waits_for_full_weight():
    bound = SemiSupervisedELBO(LogisticKL(), warmup=10)
    settings = {**SETTINGS, 'patience': 1}
    result = fit(learner_of(objective=bound), DATA, **settings)
    assert len(result.history) >= 10


def test_a_second_run_goes_on_from_full_agreement():
    bound = SemiSupervisedELBO(LogisticKL(), warmup=5)
    learner = learner_of(objective=bound)
    first = train(False, learner)
    assert first.warmup_done and int(bound.step) == first.best_epoch + 1 >= 5
    assert train(False, learner, epochs=2).warmup_done
    learner.reset_parameters()
    assert not train(False, learner, epochs=2).warmup_done
