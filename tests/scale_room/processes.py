r"""Runs of one process or several, with the same graph."""

import multiprocessing
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ELBO,
    LogisticKL,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.scale import (
    ShardedPosterior,
    StoredClusters,
    StoredGraph,
    learned_edges,
    predict_clusters,
    write_graph,
)

EPOCHS = 6
# Steps of one process are those of four. What trains the logits:
CASES = {
    'evidence': {},
    'moments': {'logit_optimizer': torch.optim.Adam, 'logit_lr': 0.1},
}


def karate():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


def write(folder, **other):
    data = karate()
    given = {
        'x': data.x,
        'edge_index': data.edge_index,
        'y': data.y,
        'train_mask': data.train_mask,
        'val_mask': data.val_mask,
        'cluster': torch.arange(34) % 8,
        **other,
    }
    return write_graph(folder, progress=False, **given)


def learner_of(graph, seed=0, **parts):
    r"""The bound has no running means, which depend on who counts."""
    seed_everything(seed)
    net = GCN(34, 8, 2, 4, dropout=0.5)
    parts = {'objective': ELBO(LogisticKL()), **parts}
    return VariationalGraphLearner(
        net, graph.prior(), ShardedPosterior(), **parts
    )


def train(out, name, epochs=EPOCHS, checkpoint=None, every=2):
    r"""What one process of a run ends with."""
    graph = StoredGraph(out / 'graph')
    learner = learner_of(graph)
    result = fit(
        learner, graph, StoredClusters(graph, 2, together=4), epochs=epochs,
        checkpoint=checkpoint, checkpoint_every=every, lr=0.02,
        progress=False, **CASES[name],
    )  # fmt: skip
    own = learned_edges(learner, 0.0)
    seed_everything(1)
    world = dist.get_world_size() if dist.is_initialized() else 1
    path = out / f'{name}-{world}.npy'
    _, prob = predict_clusters(learner, batch_size=2, out=path)
    return {
        'history': result.history,
        'edge_index': own.edge_index,
        'edge_prob': own.edge_prob,
        'prob': prob.clone(),
        'logits': learner.posterior.offset.numel(),
    }


def main(out, rank, world):
    r"""One process of a run of several."""
    torch.set_num_threads(1)
    out = Path(out)
    place = f'file://{out / f"store{world}"}'
    dist.init_process_group('gloo', place, rank=rank, world_size=world)
    state = {}
    for name in CASES:
        path = out / f'{name}-checkpoint'
        if world == 4:  # goes on where two have stopped
            state[name] = train(out, name, checkpoint=path)
            continue
        state[name] = train(out, name)
        train(out, name, epochs=3, checkpoint=path)
    torch.save(state, out / f'{world}-{rank}.pt')
    dist.destroy_process_group()


def launch(out, world):
    r"""Runs several processes to their end. Returns what each has saved."""
    context = multiprocessing.get_context('forkserver')
    context.set_forkserver_preload(['torch_geometric_vgcn.scale'])
    processes = [
        context.Process(target=main, args=(str(out), rank, world))
        for rank in range(world)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(300)
    assert [process.exitcode for process in processes] == [0] * world
    return [
        torch.load(out / f'{world}-{rank}.pt', weights_only=True)
        for rank in range(world)
    ]


def edges_of(states):
    r"""The learned edges of all processes, sorted, and their
    probabilities.
    """
    index = torch.cat([state['edge_index'] for state in states], dim=1)
    prob = torch.cat([state['edge_prob'] for state in states])
    order = np.lexsort(index.numpy())
    return index[:, order], prob[order]
