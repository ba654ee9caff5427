"""Two processes do what one does with the mean of their gradients."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext

import pytest
import torch
import torch.distributed as dist
from torch.utils.data import SubsetRandomSampler
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ELBO,
    ClusterPairs,
    FreePosterior,
    Gaussian,
    LogisticKL,
    SemiSupervisedELBO,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
    fit,
    predict_batches,
)
from torch_geometric_vgcn.loader import ClusterData, PairWeight
from torch_geometric_vgcn.objective import IWELBO, BernoulliKL

EPOCHS = 6
RATES = {'lr': 0.02, 'logit_lr': 0.1, 'logit_optimizer': torch.optim.Adam}


def setup(
    rank,
    sampler=None,
    batch_size=1,
    dense=True,
    regression=False,
    objective=None,
):
    r"""What each process starts with."""
    seed_everything(rank)
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    clusters = ClusterData(data, 4, log=False)
    edge_index, pairs = data.edge_index, None
    if dense:
        pairs = ClusterPairs(clusters.cluster)
        edge_index = edge_index[:, pairs.joins(edge_index)]
    likelihood = None
    if regression:
        data.y = (data.y / 2 - 1).unsqueeze(-1) * torch.tensor([1, 0, -1, 2])
        likelihood = Gaussian(4)
    learner = VariationalGraphLearner(
        GCN(34, 8, 2, 4, dropout=0.5),
        SmoothedPrior(edge_index, 34, pairs=pairs),
        FreePosterior(sparse=True),
        likelihood=likelihood,
        objective=IWELBO(LogisticKL()) if objective is None else objective,
    )
    sampler = SubsetRandomSampler(sampler or range(rank, 4, 2))
    loader = ClusterLoader(clusters, sampler=sampler, batch_size=batch_size)
    return learner, data, loader


def train(
    folder,
    dense=True,
    batch_size=1,
    owned=None,
    cut=0,
    epochs=EPOCHS,
    regression=False,
    objective=None,
    **options,
):
    r"""One process of a run, which may be cut off in an epoch."""
    rank = dist.get_rank()
    learner, data, loader = setup(
        rank, owned, batch_size, dense, regression, objective
    )
    if cut:
        loader.__class__ = CutLoader
        loader.left = cut
    return learner, fit(
        learner, data, loader, epochs=epochs, patience=epochs,
        **{**RATES, **options},
        checkpoint=folder / 'run.pt', checkpoint_every=2,
        progress=False,
    )  # fmt: skip


class Cut(Exception):
    pass


class CutLoader(ClusterLoader):
    def __iter__(self):
        self.left -= 1
        if self.left < 0:
            raise Cut
        return super().__iter__()


def main(out):
    r"""One process of all the runs that end well."""
    dist.init_process_group('gloo')
    rank, state = dist.get_rank(), {}
    for name, dense, batch_size in CASES:
        learner, result = train(out / name, dense, batch_size)
        state[name] = {
            'history': result.history,
            'offset': learner.posterior.offset.detach(),
            'weight': learner.conv.convs[0].lin.weight.detach(),
        }
    with pytest.raises(Cut):
        train(out / 'cut', cut=5)
    learner, result = train(out / 'cut')
    state['cut'] = {
        'history': result.history,
        'offset': learner.posterior.offset.detach(),
    }
    for name, cut in (('latent', 0), ('latent cut', 5), ('latent cut', 0)):
        # Labels of the other nodes are latent, and logits have the default
        # optimiser:
        bound = SemiSupervisedELBO(LogisticKL(), warmup=5)
        with pytest.raises(Cut) if cut else nullcontext():
            learner, result = train(
                out / name, cut=cut, objective=bound, logit_optimizer=None
            )
        state[name] = {
            'history': result.history,
            'offset': learner.posterior.offset.detach(),
            'objective': dict(bound.state_dict()),
        }
    _, result = train(
        out / 'evidence', objective=ELBO(BernoulliKL()), **EVIDENCE
    )
    state['evidence'] = result.history[-1]['kl']
    learner, result = train(out / 'regression', regression=True)
    state['regression'] = {
        'history': result.history,
        'variance': learner.likelihood.variance.detach(),
    }
    # Two with a cluster in common, and with more batches in one of them:
    for name, owned in (
        ('several', [rank, 3]),
        ('as many', [0, 1] if rank else [2]),
    ):
        with pytest.raises(ValueError) as error:
            train(out / name, owned=owned)
        state[name] = str(error.value)
    torch.save(state, out / f'rank{rank}.pt')
    dist.barrier()
    dist.destroy_process_group()


def endless(out, rank):
    r"""One process of a run without an end."""
    place = f'file://{out / "store"}'
    dist.init_process_group('gloo', place, rank=rank, world_size=2)
    train(out, epochs=1_000_000)


EVIDENCE = {
    'epochs': 40, 'lr': 1e-9, 'logit_lr': 0.01, 'logit_optimizer': None,
}  # fmt: skip
CASES = [('dense', True, 1), ('candidates', False, 2)]
SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {folder!r})
import test_ranks
out = Path({out!r})
test_ranks.{call}
"""


def start(call, out, *launcher):
    r"""A process that calls a function of this file."""
    script = out / f'{call.partition("(")[0]}{len(list(out.iterdir()))}.py'
    folder = os.path.dirname(__file__)
    script.write_text(SCRIPT.format(folder=folder, call=call, out=str(out)))
    return subprocess.Popen(
        [sys.executable, *launcher, str(script)],
        stderr=subprocess.PIPE, text=True,
        env={**os.environ, 'OMP_NUM_THREADS': '1'},
    )  # fmt: skip


@pytest.fixture(scope='module')
def runs(tmp_path_factory):
    r"""What the two processes saw, and the folder."""
    out = tmp_path_factory.mktemp('runs')
    torchrun = ('-m', 'torch.distributed.run', '--standalone')
    process = start('main(out)', out, *torchrun, '--nproc_per_node=2')
    _, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    states = [
        torch.load(out / f'rank{rank}.pt', weights_only=True)
        for rank in range(2)
    ]
    return states, out


def one_process(dense, batch_size):
    r"""The same batches here, one after the other."""
    states, models = [], []
    for rank in range(2):
        learner, data, loader = setup(rank, None, batch_size, dense)
        models.append((learner, loader))
        states.append(torch.get_rng_state())

    @contextmanager
    def turn(rank):
        torch.set_rng_state(states[rank])
        yield
        states[rank] = torch.get_rng_state()

    (first, _), (second, _) = models
    second.conv.load_state_dict(first.conv.state_dict())
    start = first.posterior.offset.detach().clone()
    adams, sparse = [], []
    for learner, _ in models:
        adams.append(
            torch.optim.Adam(
                learner.conv.parameters(), RATES['lr'], weight_decay=5e-4
            )
        )
        logits = [learner.posterior.offset]
        sparse.append(torch.optim.SparseAdam(logits, RATES['logit_lr']))
    history = []
    for _ in range(EPOCHS):
        total, iterators = 0.0, []
        for rank, (learner, loader) in enumerate(models):
            learner.train()
            with turn(rank):
                iterators.append(iter(loader))
        for _ in range(len(models[0][1])):
            grads = []
            for rank, (learner, loader) in enumerate(models):
                with turn(rank):
                    batch = next(iterators[rank])
                    prior = learner.prior.subset(batch.n_id)
                    out = learner(batch.x, num_samples=3, prior=prior)
                    bound = learner.objective(
                        out, batch.y, batch.train_mask,
                        int(batch.train_mask.sum()),
                        PairWeight(loader)(prior),
                    )  # fmt: skip
                total += bound.bound.item()
                # The mean over two of four over batches:
                loss = -bound.bound * 2 * len(loader) / 4 / 2
                learner.zero_grad()
                loss.backward()
                sparse[rank].step()
                grads.append([p.grad for p in learner.conv.parameters()])
            mean = [a + b for a, b in zip(*grads, strict=True)]
            for (learner, _), adam in zip(models, adams, strict=True):
                for parameter, grad in zip(
                    learner.conv.parameters(), mean, strict=True
                ):
                    parameter.grad = grad.clone()
                adam.step()
        offset = first.posterior.offset.data + second.posterior.offset.data
        offset = offset - start
        with turn(0):
            own = first.posterior.offset.data.clone()
            first.posterior.offset.data.copy_(offset)
            if dense:
                prob = predict_batches(
                    first, data.x, first.prior.pairs.clusters(), 3
                )
            else:
                prob = first.predict(data.x, 3)
            first.posterior.offset.data.copy_(own)
        nll = evaluate(prob, data.y, data.val_mask)[1]
        history.append({'loss': -total / 4, 'val_nll': nll})
    return history


@pytest.mark.parametrize('name, dense, batch_size', CASES)
def test_two_processes_are_one(runs, name, dense, batch_size):
    (first, second), out = runs
    first, second = first[name], second[name]
    assert first['history'] == second['history']
    assert torch.equal(first['offset'], second['offset'])
    assert torch.equal(first['weight'], second['weight'])
    for got, want in zip(
        first['history'], one_process(dense, batch_size), strict=True
    ):
        for key, value in want.items():
            assert got[key] == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize('name, dense, batch_size', CASES)
def test_the_checkpoint_holds_what_both_learned(runs, name, dense, batch_size):
    _, out = runs
    saved = torch.load(out / name / 'run.pt', weights_only=True)
    moment = saved['optimizers'][1]['state'][0]['exp_avg_sq']
    changed = saved['learner']['posterior.offset'] != 0
    assert torch.equal(moment != 0, changed)
    learner, _, loader = setup(0, range(4), batch_size, dense)
    row, col = loader.cluster_data.cluster[learner.prior.pairs.index] % 2
    # Pairs between the processes' clusters belong to none:
    assert torch.equal(changed, row == col)


def test_a_run_of_two_resumes_from_its_checkpoint(runs):
    for state in runs[0]:
        assert state['cut']['history'] == state['dense']['history']
        assert torch.equal(state['cut']['offset'], state['dense']['offset'])


def test_evidence_moves_a_logit_as_far_in_two_processes_as_in_one(runs):
    objective = ELBO(BernoulliKL())
    learner, data, loader = setup(0, range(4), objective=objective)
    options = {**EVIDENCE, 'patience': 40, 'progress': False}
    result = fit(learner, data, loader, **options)
    expected = result.history[-1]['kl']  # the square of how far, nearly
    # The graphs and dropout are others:
    assert 0.6 < runs[0][0]['evidence'] / expected < 1.7


def test_processes_count_the_labels_of_all(runs):
    first, second = runs[0]
    data = KarateClub()[0]
    for name in ('latent', 'latent cut'):
        one, other = first[name], second[name]
        assert one['history'] == other['history']
        assert torch.equal(one['offset'], other['offset'])
        for key, value in one['objective'].items():
            assert torch.equal(value, other['objective'][key]), key
    assert first['latent']['history'] == first['latent cut']['history']
    assert all(row['agreement'] < 0 for row in first['latent']['history'])
    assert (first['latent']['offset'] != 0).any()
    # In the best epoch, after this many:
    counts = first['latent']['objective']
    epochs, labels = int(counts['step']) / 2, data.y[data.train_mask]
    expected = (epochs * labels.bincount()).long()
    assert torch.equal(counts['labels'], expected)
    known = int(data.train_mask.sum())
    assert counts['nodes'].tolist() == [epochs * known, epochs * (34 - known)]


def test_processes_learn_one_noise(runs):
    first, second = (state['regression'] for state in runs[0])
    assert first['history'] == second['history']
    assert torch.equal(first['variance'], second['variance'])
    assert (first['variance'] != 1).all()


def test_processes_must_share_the_clusters_out(runs):
    for state in runs[0]:
        assert "'loader' must have clusters of its own" in state['several']
        assert (
            'as many batches in each process, got [1, 2]' in state['as many']
        )


def test_a_process_that_dies_ends_the_run_and_spares_the_checkpoint(tmp_path):
    first, second = (start(f'endless(out, {r})', tmp_path) for r in range(2))
    try:
        while not (tmp_path / 'run.pt').exists():
            assert first.poll() is None, first.communicate()[1]
            time.sleep(0.05)
    finally:
        second.kill()  # which must end the first, too
    second.communicate()
    _, error = first.communicate(timeout=120)
    assert first.returncode == 1
    assert 'process 0 lost the connection to another one of 2' in error
    saved = torch.load(tmp_path / 'run.pt', weights_only=True)
    assert len(saved['rng']) == 2 and len(saved['result']['history']) >= 2
