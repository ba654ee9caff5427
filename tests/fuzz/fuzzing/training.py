r"""Calls of everything that knows epochs."""

import torch
from torch_geometric.loader import ClusterLoader

import fuzzing.world as world
import torch_geometric_vgcn as vgcn
from fuzzing.case import Case, target
from torch_geometric_vgcn.loader import ClusterData


@target('evaluate')
def evaluate(case: Case) -> None:
    prob = torch.rand(6, 3).softmax(dim=-1)
    acc, nll = case.call(
        vgcn.evaluate,
        case.arg(prob),
        case.arg(torch.tensor([0, 1, 2, 0, 1, 2])),
        case.arg(torch.arange(6) % 2 == 0, torch.tensor([0, 3])),
    )
    case.check(0 <= acc <= 1 and nll >= -1e-6, 'accuracy and likelihood')


def settings(case: Case) -> dict:
    return case.kwargs(
        lr=case.one_of(0.01, 1e-5),
        logit_lr=case.one_of(0.01, 1.0),
        weight_decay=case.one_of(0.0, 5e-4),
        num_samples=case.one_of(1, 2, 3),
        patience=case.one_of(1, 10),
        checkpoint=case.one_of(None, 'run.pt'),
        checkpoint_every=case.one_of(1, 25),
    )


def check_fit(case: Case, result: object) -> None:
    case.check(isinstance(result, vgcn.training.Fit), 'a Fit')
    if result.score == 'acc':
        case.check(0 <= result.val_acc <= 1, 'accuracy')
    case.check(result.val_score <= 1, 'score')


@target('optimizers')
def optimizers(case: Case) -> None:
    data = world.graph(case)
    with case.right():
        made = world.learner(case, data)
    made(data.x)
    steps = case.call(
        vgcn.training.optimizers,
        made,
        5,
        **case.kwargs(lr=0.1, logit_lr=0.2, weight_decay=0.0),
    )
    out = made(data.x, num_samples=2)
    made.objective(out, data.y, data.train_mask).loss.backward()
    for optimizer in steps:
        optimizer.step()
    parameters = [
        parameter
        for optimizer in steps
        for group in optimizer.param_groups
        for parameter in group['params']
    ]
    expected = sum(1 for _ in made.parameters())
    case.check(len(parameters) == expected, 'each parameter, once')


@target('fit', 'Fit')
def fit(case: Case) -> None:
    data = world.graph(case)
    with case.right():
        if case.maybe(0.2):
            made = vgcn.FixedGraph(world.GCNConv(3, 2), data.edge_index)
        else:
            made = world.learner(case, data)
    result = case.call(
        vgcn.fit,
        case.arg(made),
        case.arg(data),
        epochs=case.arg(1, 2),
        progress=False,
        **settings(case),
    )
    check_fit(case, result)


@target('fit', 'fit_batches', 'predict_batches', 'calibrate')
def other_labels(case: Case) -> None:
    data = world.graph(case, least=6)
    with case.right():
        likelihood = world.likelihood(case, data)
        made = world.learner(case, data, likelihood)
    given = case.spoilt_data(data) if case.maybe(case.wrongness) else data
    if isinstance(getattr(given, 'x', None), torch.Tensor):
        given.x = world.features(case, data.x)
    batches = ()
    if case.maybe():
        clusters = ClusterData(data, 2, log=False)
        batches = (ClusterLoader(clusters, batch_size=1),)
    train = vgcn.fit_batches if batches else vgcn.fit
    result = case.call(
        train,
        made,
        given,
        *batches,
        epochs=2,
        progress=False,
        **settings(case),
    )
    check_fit(case, result)
    case.call(vgcn.calibrate, made, data, num_samples=2)
    some = [torch.arange(3), torch.arange(3, data.num_nodes)]
    parts = case.call(vgcn.predict_batches, made, data.x, case.arg(some))
    case.check(type(parts) is type(made.predict(data.x)), 'as the whole')


@target('calibrate')
def calibrate(case: Case) -> None:
    data = world.graph(case)
    with case.right():
        if case.maybe(0.2):
            made = vgcn.FixedGraph(world.GCNConv(3, 2), data.edge_index)
        else:
            made = world.learner(case, data)
    given = data
    if case.maybe(case.wrongness):
        given = case.spoilt_data(data)
        given.x = world.features(case, data.x)
    case.call(
        vgcn.calibrate, case.arg(made), given, **case.kwargs(num_samples=2)
    )
    case.check_probs(case.call(made.predict, data.x))


@target('fitted_prior')
def fitted_prior(case: Case) -> None:
    data = world.graph(case, least=6)
    given = case.spoilt_data(data) if case.maybe(case.wrongness) else data
    made = case.call(
        vgcn.fitted_prior,
        case.arg(given),
        epochs=case.arg(1, 3),
        **case.kwargs(homophily=0.8),
    )
    world.check_logits(case, made.logits, made)


@target('fit_batches', 'predict_batches')
def fit_batches(case: Case) -> None:
    data = world.graph(case, least=6)
    with case.right():
        made = world.learner(case, data)
    clusters = ClusterData(data, 2, log=False)
    loader = ClusterLoader(
        clusters, batch_size=case.one_of(1, 2), shuffle=case.maybe()
    )
    result = case.call(
        vgcn.fit_batches,
        case.arg(made),
        case.arg(data),
        case.arg(loader),
        epochs=case.arg(1, 2),
        progress=False,
        **settings(case),
    )
    check_fit(case, result)
    prob = case.call(
        vgcn.predict_batches,
        case.arg(made),
        case.arg(data.x),
        case.arg([torch.arange(3), torch.arange(3, data.num_nodes)]),
        **case.kwargs(num_samples=2),
    )
    case.check_probs(prob)
