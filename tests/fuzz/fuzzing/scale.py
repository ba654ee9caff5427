r"""Calls of graphs on disk."""

import torch

import fuzzing.world as world
from fuzzing.case import Case, target
from fuzzing.training import check_fit
from torch_geometric_vgcn import VariationalGraphLearner
from torch_geometric_vgcn.scale import (
    ShardedPosterior,
    StoredClusters,
    StoredGraph,
    learned_edges,
    predict_clusters,
    write_graph,
)
from torch_geometric_vgcn.training import fit, process_group


def written(case: Case) -> StoredGraph:
    r"""A graph of four clusters."""
    n = 8
    made = case.call(
        write_graph,
        case.arg('graph'),
        case.arg(torch.randn(n, world.FEATURES)),
        case.arg(world.edges(case, n)),
        case.arg(torch.arange(n) % world.CLASSES),
        case.arg(torch.arange(n) < 4, torch.tensor([0, 3])),
        case.arg(torch.arange(n) >= 4),
        cluster=case.arg(torch.arange(n) % 4),
        progress=False,
        **case.kwargs(rho1=0.5, rho0=1e-3, logits=None),
    )
    case.check(made.num_nodes == n, 'all nodes')
    return case.call(StoredGraph, case.arg('graph'))


@target(
    'write_graph',
    'StoredGraph',
    'StoredClusters',
    'ShardedPosterior',
    'predict_clusters',
    'learned_edges',
    'process_group',
)
def stored(case: Case) -> None:
    graph = written(case)
    net = world.GCNConv(world.FEATURES, world.CLASSES)
    with case.call(process_group, *case.one_of((), (case.arg('gloo'),))):
        learner = VariationalGraphLearner(
            net, graph.prior(), case.call(ShardedPosterior)
        )
        loader = case.call(
            StoredClusters,
            case.arg(graph),
            **case.kwargs(batch_size=2, together=2),
        )
        result = case.call(
            fit,
            learner,
            graph,
            loader,
            epochs=case.arg(1, 2),
            progress=False,
            **case.kwargs(checkpoint='run', checkpoint_every=1),
        )
        check_fit(case, result)
        _, prob = case.call(
            predict_clusters,
            case.arg(learner),
            **case.kwargs(batch_size=2, num_samples=2, out='prob.npy'),
        )
        case.check_probs(prob)
        found = case.call(
            learned_edges,
            case.arg(learner),
            **case.kwargs(threshold=0.5, folder='edges'),
        )
        case.check_edges(found.edge_index, graph.num_nodes)
