r"""Calls of graphs on disk."""

import torch

import fuzzing.world as world
from fuzzing.case import Case, target
from fuzzing.training import check_fit
from torch_geometric_vgcn.partition import (
    PartitionedGraph,
    PartitionedLearner,
    partition_graph,
)
from torch_geometric_vgcn.training import (
    fit_partitioned,
    predict_partitioned,
    process_group,
)


def written(case: Case) -> PartitionedGraph:
    r"""A graph of two shards with two clusters each."""
    n = 8
    made = case.call(
        partition_graph,
        case.arg('graph'),
        case.arg(torch.randn(n, world.FEATURES)),
        case.arg(world.edges(case, n)),
        case.arg(torch.arange(n) % world.CLASSES),
        case.arg(torch.arange(n) < 4, torch.tensor([0, 3])),
        case.arg(torch.arange(n) >= 4),
        cluster=case.arg(torch.arange(n) % 4),
        num_shards=case.arg(1, 2),
        progress=False,
        **case.kwargs(dense=case.maybe(), rho1=0.5, rho0=1e-3, logits=None),
    )
    case.check(made.num_nodes == n, 'all nodes')
    return case.call(PartitionedGraph, case.arg('graph'))


@target(
    'partition_graph',
    'PartitionedGraph',
    'PartitionedLearner',
    'fit_partitioned',
    'predict_partitioned',
    'process_group',
)
def partitioned(case: Case) -> None:
    graph = written(case)
    net = world.GCNConv(world.FEATURES, world.CLASSES)
    with case.call(process_group, *case.one_of((), (case.arg('gloo'),))):
        learner = case.call(PartitionedLearner, case.arg(net), case.arg(graph))
        result = case.call(
            fit_partitioned,
            case.arg(learner),
            batch_size=case.arg(1, 2),
            epochs=case.arg(1, 2),
            progress=False,
            **case.kwargs(
                lr=0.01,
                logit_lr=0.1,
                weight_decay=0.0,
                num_samples=case.one_of(1, 2),
                patience=3,
                checkpoint='run',
                checkpoint_every=1,
            ),
        )
        check_fit(case, result)
        _, prob = case.call(
            predict_partitioned,
            case.arg(learner),
            **case.kwargs(batch_size=2, num_samples=2, out='prob.npy'),
        )
        case.check_probs(prob)
        found = case.call(
            learner.learned_graph,
            **case.kwargs(threshold=0.5, folder='edges', gather=True),
        )
        case.check_edges(found.edge_index, graph.num_nodes)
