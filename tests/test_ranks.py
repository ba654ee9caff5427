"""Two processes do what one does with the mean of their gradients."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.utils.data import SubsetRandomSampler
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ClusterPairs,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
    fit_batches,
    predict_batches,
)
from torch_geometric_vgcn.loader import ClusterData, PairWeight

EPOCHS = 6
RATES = {'lr': 0.02, 'logit_lr': 0.1}


def setup(rank, sampler=None, batch_size=1, dense=True):
    r"""What each process starts with."""
    seed_everything(rank)
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    clusters = ClusterData(data, 4, log=False)
    edge_index, pairs = data.edge_index, None
    if dense:
        pairs = ClusterPairs(clusters.cluster)
        edge_index = edge_index[:, pairs.joins(edge_index)]
    learner = VariationalGraphLearner(
        GCN(34, 8, 2, 4, dropout=0.5),
        SmoothedPrior(edge_index, 34, pairs=pairs),
        FreePosterior(sparse=True),
    )
    sampler = SubsetRandomSampler(sampler or range(rank, 4, 2))
    loader = ClusterLoader(clusters, sampler=sampler, batch_size=batch_size)
    return learner, data, loader


def main(out, dense, batch_size, owned, epochs):
    r"""One process of a run."""
    dist.init_process_group('gloo')
    rank = dist.get_rank()
    learner, data, loader = setup(
        rank, (owned or {}).get(rank), batch_size, dense
    )
    path = Path(out) / 'run.pt'
    result = fit_batches(
        learner, data, loader, epochs=epochs, patience=epochs, **RATES,
        checkpoint=path, checkpoint_every=2, progress=False,
    )  # fmt: skip
    state = {
        'history': result.history,
        'offset': learner.posterior.offset.detach(),
        'weight': learner.conv.convs[0].lin.weight.detach(),
    }
    torch.save(state, Path(out) / f'rank{rank}.pt')
    dist.destroy_process_group()


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
from test_ranks import main
main({out!r}, {dense}, {batch_size}, {owned}, {epochs})
"""


def torchrun(out, dense=True, batch_size=1, owned=None, epochs=EPOCHS):
    script = out / 'script.py'
    text = SCRIPT.format(
        folder=os.path.dirname(__file__), out=str(out), dense=dense,
        batch_size=batch_size, owned=owned, epochs=epochs,
    )  # fmt: skip
    script.write_text(text)
    return subprocess.Popen(
        [sys.executable, '-m', 'torch.distributed.run', '--standalone',
         '--nproc_per_node=2', str(script)],
        stderr=subprocess.PIPE, text=True,
        env={**os.environ, 'OMP_NUM_THREADS': '1'},
    )  # fmt: skip


def finished(process):
    _, error = process.communicate(timeout=120)
    assert process.returncode == 0, error


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


@pytest.mark.parametrize('dense, batch_size', [(True, 1), (False, 2)])
def test_two_processes_are_one(tmp_path, dense, batch_size):
    finished(torchrun(tmp_path, dense, batch_size))
    first, second = (
        torch.load(tmp_path / f'rank{rank}.pt', weights_only=True)
        for rank in range(2)
    )
    assert first['history'] == second['history']
    assert torch.equal(first['offset'], second['offset'])
    assert torch.equal(first['weight'], second['weight'])
    for got, want in zip(
        first['history'], one_process(dense, batch_size), strict=True
    ):
        for name, value in want.items():
            assert got[name] == pytest.approx(value, rel=1e-4)
    saved = torch.load(tmp_path / 'run.pt', weights_only=True)
    moment = saved['optimizers'][1]['state'][0]['exp_avg_sq']
    changed = saved['learner']['posterior.offset'] != 0
    assert torch.equal(moment != 0, changed) and changed.any()
