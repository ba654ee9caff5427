r"""Calls of the loader, and of what turns graphs into tensors."""

import torch
from torch.utils.data import SequentialSampler
from torch_geometric.loader import ClusterLoader

import fuzzing.world as world
from fuzzing.case import Case, target
from torch_geometric_vgcn.loader import (
    ClusterData,
    PairWeight,
    SampledPairWeight,
)
from torch_geometric_vgcn.utils import observed_graph


@target('observed_graph')
def observed(case: Case) -> None:
    data = world.graph(case)
    edge_index, n = case.call(
        observed_graph,
        case.arg(world.observed(case, data)),
        case.arg(data.num_nodes),
    )
    case.check_edges(edge_index, n)


@target('ClusterData')
def cluster(case: Case) -> None:
    data = world.graph(case, least=case.one_of(2, 6))
    data = case.arg(data)
    made = case.call(
        ClusterData,
        data,
        case.arg(1, 2),
        log=False,
        **case.kwargs(
            recursive=case.maybe(),
            save_dir=case.one_of(None, 'saved'),
            filename=None,
            keep_inter_cluster_edges=case.maybe(),
            sparse_format=case.one_of('csr', 'csc'),
        ),
    )
    case.check(made.cluster.numel() == data.num_nodes, 'cluster')
    for batch in ClusterLoader(made, batch_size=case.one_of(1, 2)):
        case.check_edges(batch.edge_index, batch.num_nodes)
        if case.wrongness == 0:
            case.check(torch.equal(batch.x, data.x[batch.n_id]), 'n_id')


@target('PairWeight')
def pair_weight(case: Case) -> None:
    data = world.graph(case, least=6)
    with case.right():
        prior = world.prior(case, data)
    clusters = ClusterData(data, case.one_of(1, 2, 3), log=False)
    given = {}
    if case.maybe(0.2):
        given['sampler'] = SequentialSampler(range(2))
    loader = ClusterLoader(
        clusters,
        batch_size=case.one_of(1, 2),
        drop_last=case.maybe(0.1),
        **given,
    )
    made = case.call(PairWeight, case.arg(loader))
    some = torch.randperm(data.num_nodes)[:4]
    prior = prior.subset(some) if case.maybe() else prior
    weight = case.call(made, case.arg(prior))
    if isinstance(weight, torch.Tensor):
        case.check(weight.shape == (len(prior.pairs),), 'one for each pair')
        case.check(bool((weight >= 1).all()), 'weights')
    repr(made)


@target('SampledPairWeight')
def sampled_pair_weight(case: Case) -> None:
    data = world.graph(case, least=6)
    with case.right():
        prior = world.prior(case, data)
    made = case.call(
        SampledPairWeight, case.arg(prior), case.arg(case.one_of(1, 3))
    )
    for _ in range(2):
        some = torch.randperm(data.num_nodes)[:4]
        batch = prior.subset(some) if case.maybe() else prior
        weight = case.call(made, case.arg(batch))
        case.check(weight.shape == (len(batch.pairs),), 'one for each pair')
        case.check(bool((weight > 0).all()), 'weights')
    repr(made)
