r"""Runs of one process or several, with the same graph."""

import multiprocessing
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.nn import GCN

from torch_geometric_vgcn.partition import (
    PartitionedGraph,
    PartitionedLearner,
    partition_graph,
)
from torch_geometric_vgcn.training import fit_partitioned, predict_partitioned
from torch_geometric_vgcn.training.partitioned_run import (
    PartitionedRun,
    Settings,
)

# Dense inside clusters; candidates in batches without guests, and with:
CASES = {'dense': (True, 1), 'alone': (False, 1), 'guests': (False, 2)}
EPOCHS = 6
SETTINGS = {'lr': 0.02, 'logit_lr': 0.1, 'progress': False}


def karate():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


def write(folder, dense=False, num_parts=8, num_shards=4, **kwargs):
    data = karate()
    return partition_graph(
        folder, data.x, data.edge_index, data.y, data.train_mask,
        data.val_mask, cluster=torch.arange(34) % num_parts, dense=dense,
        num_shards=num_shards, progress=False, **kwargs,
    )  # fmt: skip


def learner_of(graph, seed=0):
    seed_everything(seed)
    num_classes = graph.manifest.highest_class + 1
    net = GCN(graph.num_features, 8, 2, num_classes, dropout=0.5)
    return PartitionedLearner(net, graph)


def train(out, name, epochs=EPOCHS, checkpoint=None, every=2):
    r"""What one process of a run ends with."""
    dense, batch_size = CASES[name]
    graph = PartitionedGraph(out / name)
    learner = learner_of(graph)
    result = fit_partitioned(
        learner, batch_size=batch_size, epochs=epochs, patience=50,
        checkpoint=checkpoint, checkpoint_every=every, **SETTINGS,
    )  # fmt: skip
    graph = learner.learned_graph(0.0, gather=True)
    seed_everything(1)
    path = out / f'{name}-{learner.ranks.world}.npy'
    node, prob = predict_partitioned(learner, batch_size=2, out=path)
    return {
        'history': result.history,
        'edge_index': graph.edge_index,
        'edge_prob': graph.edge_prob,
        'prob': prob.clone(),
    }


def sent(out, name):
    r"""How many bytes of guests this process sends in each epoch of a run,
    beside the network's gradients.
    """
    settings = Settings(
        4, 0.1, 0.1, torch.optim.Adam, 0.0, 1, 1, None, 1, False
    )
    learner = learner_of(PartitionedGraph(out / name))
    run = PartitionedRun(learner, CASES[name][1], settings)
    counts = [0]
    for epoch in range(4):
        run.train_epoch(epoch)
        counts.append(run.exchange.sent)
    return [int(n) for n in np.diff(counts)]


def main(out, rank, world):
    r"""One process of a run of several."""
    torch.set_num_threads(1)
    out = Path(out)
    place = f'file://{out / f"store{world}"}'
    dist.init_process_group('gloo', place, rank=rank, world_size=world)
    state = {}
    for name in CASES:
        if world == 4:  # goes on where two have stopped
            path = out / f'{name}-checkpoint'
            state[name] = train(out, name, checkpoint=path)
            continue
        state[name] = train(out, name)
        state[name]['sent'] = sent(out, name)
        path = out / f'{name}-checkpoint'
        train(out, name, epochs=3, checkpoint=path)
    torch.save(state, out / f'{world}-{rank}.pt')
    dist.destroy_process_group()


def launch(out, world):
    r"""Runs several processes to their end. Returns what each has saved."""
    context = multiprocessing.get_context('forkserver')
    context.set_forkserver_preload(['torch_geometric_vgcn.partition'])
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
