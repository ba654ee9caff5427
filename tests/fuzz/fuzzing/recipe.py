r"""Calls of the one call."""

import torch

import fuzzing.world as world
from fuzzing.case import Case, target
from torch_geometric_vgcn import (
    ELBO,
    VGCN,
    FreePosterior,
    LowRankPosterior,
    SmoothedPrior,
)
from torch_geometric_vgcn.models import GraphSAGE
from torch_geometric_vgcn.objective import IWELBO
from torch_geometric_vgcn.recipe import (
    Counts,
    Effort,
    FixedMember,
    LearnedMember,
    Measurements,
    Task,
    TaughtMember,
    gcn,
    given_graph,
    graph_sage,
    more_neighbors,
    nearest_neighbors,
    no_graph,
    propagated_mlp,
    table_members,
)


def members(case: Case) -> list:
    r"""Some of the members, of each kind."""
    if case.maybe(0.2):
        return case.call(
            table_members,
            **{'steps': 3, 'hidden': 4}
            | case.kwargs(given=True, trust=0.5, batch_size=4),
        )
    network = case.one_of(None, gcn, graph_sage, propagated_mlp)
    source = case.one_of(given_graph, nearest_neighbors, more_neighbors)
    return [
        case.call(FixedMember, case.arg('a'), no_graph),
        case.call(
            LearnedMember,
            case.arg('b'),
            case.arg(source),
            **case.kwargs(rho1=0.5, evidence=1.0),
        ),
        case.call(FixedMember, 'c', source, network=case.arg(network)),
        case.call(
            TaughtMember,
            'd',
            source,
            steps=3,
            **case.kwargs(hidden=4, learn=False),
        ),
    ]


def trusting(task: Task, edge_index: torch.Tensor) -> SmoothedPrior:
    return SmoothedPrior(edge_index, task.num_nodes, rho1=0.8)


@target(
    *('VGCN', 'Effort', 'Counts', 'Measurements', 'FixedMember'),
    *('LearnedMember', 'Task', 'given_graph', 'nearest_neighbors'),
    *('no_graph', 'gcn', 'graph_sage', 'propagated_mlp'),
    *('TaughtMember', 'table_members', 'more_neighbors'),
)
def one_call(case: Case) -> None:
    data = world.graph(case, least=6)
    if case.maybe(0.3):
        del data.val_mask
    given = {}
    if case.maybe(0.3):
        given['graph'] = case.arg(world.observed(case, data))
        del data.edge_index
    effort = {'epochs': 2, 'patience': 1, 'warmup': 1, 'folds': 2}
    effort = {k: case.arg(v) for k, v in effort.items()}
    kind = case.one_of(Counts, Measurements)
    scaled = case.call(kind, **case.kwargs(k=2, input_dropout=0.1))
    posterior = case.one_of(
        FreePosterior, LowRankPosterior(rank=2), LowRankPosterior
    )
    model = case.call(
        VGCN,
        case.arg(data),
        **given,
        members=case.arg(members(case)),
        effort=case.call(
            Effort, runs=1, **effort, **case.kwargs(num_samples=2)
        ),
        progress=False,
        **case.kwargs(
            features=scaled,
            seed=3,
            node_names=list(range(data.num_nodes)),
            prior=trusting,
            posterior=posterior,
            objective=case.one_of(ELBO, IWELBO),
            time_limit=case.one_of(1e-6, 9),
        ),
    )
    case.check(isinstance(model.task, Task), 'the prepared data')
    case.call(model.fit, **case.kwargs(checkpoint='model.part'))
    case.check_probs(case.call(model.predict))
    graph = case.call(model.learned_graph, case.arg(0.1, 0.5))
    case.check(bool((graph.edge_prob <= 1).all()), 'edge probabilities')
    case.check(len(model.edges()) * 2 >= graph.num_edges, 'edges')
    weights = torch.tensor([*model.weights_.values()])
    case.check(abs(float(weights.sum()) - 1) < 1e-5, 'weights')
    case.call(model.report, **case.kwargs(path='a.html', title='mine'))


@target('GraphSAGE')
def sage(case: Case) -> None:
    data = world.graph(case)
    with case.right():
        net = case.call(GraphSAGE, data.num_features, 4, 2, 0.5)
        out = case.call(net, data.x, data.edge_index)
    case.check(out.shape == (data.num_nodes, 2), 'outputs')
