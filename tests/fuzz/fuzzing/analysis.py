r"""Calls of the analysis and of the plots."""

import matplotlib
import torch
from matplotlib import pyplot
from torch_geometric.data import Data

import fuzzing.world as world
from fuzzing.case import Case, target
from torch_geometric_vgcn import FreePosterior, VariationalGraphLearner, plots
from torch_geometric_vgcn.analysis import (
    MovedLinks,
    best_temperature,
    calibration,
    communities,
    moved_links,
    right_edges,
)
from torch_geometric_vgcn.training import Fit

matplotlib.use('Agg')


def moved_learner(case: Case, data: Data) -> VariationalGraphLearner:
    r"""A learner whose links have moved."""
    with case.right():
        prior = world.prior(case, data)
        made = VariationalGraphLearner(
            world.GCNConv(3, 2), prior, posterior=FreePosterior()
        )
    with torch.no_grad():
        made.posterior.offset += torch.randn(len(prior.pairs))
    return made


def axes(case: Case) -> object:
    r"""No axes, a figure's, or something else."""
    if case.maybe(0.7):
        return None
    return case.arg(pyplot.figure().add_subplot())


def draw(case: Case) -> None:
    r"""What can't be drawn fails only here."""
    for number in pyplot.get_fignums():
        pyplot.figure(number).canvas.draw()


@target('right_edges')
def edges_that_are_right(case: Case) -> None:
    rng = torch.Generator().manual_seed(0)
    size = case.one_of(8, 40)
    edge_index = torch.randint(size, (2, 300), generator=rng)
    edge_index = edge_index[:, edge_index[0] != edge_index[1]]
    x, prob = torch.randn(size, 3, generator=rng), torch.rand(size, 2)
    found = case.call(
        right_edges,
        case.arg(edge_index),
        case.arg(x, x.double()),
        **case.kwargs(prob=prob.softmax(dim=-1)),
    )
    if found is not None:
        case.check(bool(((found[0] >= 0) & (found[0] <= 1)).all()), 'shares')
        case.check(0 <= found[1] <= 1, 'a share')


@target('best_temperature', 'calibration', 'Calibration', 'plot_reliability')
def reliability(case: Case) -> None:
    prob = torch.rand(8, 3).softmax(dim=-1)
    args = (
        case.arg(prob, prob.double()),
        case.arg(torch.arange(8) % 3),
        case.arg(torch.arange(8) % 2 == 0, torch.tensor([1, 5])),
    )
    if case.maybe(0.3):
        found = case.call(best_temperature, *args)
        case.check(0.04 < found < 21, 'temperature')
        return
    given = case.kwargs(bins=case.one_of(1, 2, 10))
    if case.maybe():
        found = case.call(calibration, *args, **given)
        case.check(0 <= found.error <= 1, 'error')
        return
    try:
        case.call(plots.plot_reliability, *args, **given, ax=axes(case))
        if case.maybe(0.1):
            draw(case)
    finally:
        pyplot.close('all')


@target('communities')
def parts(case: Case) -> None:
    data = world.graph(case)
    found = case.call(communities, case.arg(data))
    if case.wrongness == 0:
        nodes = torch.cat(found).sort().values
        every = torch.arange(data.num_nodes)
        case.check(torch.equal(nodes, every), 'each node once')


@target('moved_links', 'MovedLinks')
def moved(case: Case) -> None:
    data = world.graph(case)
    made = moved_learner(case, data)
    found = case.call(
        moved_links,
        case.arg(made),
        **case.kwargs(
            min_change=case.one_of(0.02, 0, 1),
            x=case.one_of(None, data.x),
            added_pairs=case.one_of(None, data.edge_index),
        ),
    )
    case.check(isinstance(found, MovedLinks), 'MovedLinks')
    case.call(found.counts)
    str(found)


@target('plot_posterior_histogram', 'plot_posterior_change', 'plot_community')
def pictures(case: Case) -> None:
    data = world.graph(case)
    made = moved_learner(case, data)
    kind = case.random.randrange(3)
    given = case.kwargs(x=case.one_of(None, data.x))
    if kind > 0:
        given.update(
            case.kwargs(added_pairs=case.one_of(None, data.edge_index))
        )
    if kind < 2:
        given.update(case.kwargs(min_change=case.one_of(0.02, 0.9)))
        given['ax'] = axes(case)
    try:
        if kind == 0:
            case.call(plots.plot_posterior_histogram, case.arg(made), **given)
        elif kind == 1:
            case.call(plots.plot_posterior_change, case.arg(made), **given)
        else:
            nodes = torch.randperm(data.num_nodes)[
                : case.random.randint(2, data.num_nodes)
            ]
            case.call(
                plots.plot_community,
                case.arg(data),
                case.arg(made),
                case.arg(nodes),
                **given,
                axes=case.arg(None, pyplot.figure().subplots(1, 2)),
            )
        if case.maybe(0.1):
            draw(case)
    finally:
        pyplot.close('all')


@target('plot_convergence')
def convergence(case: Case) -> None:
    runs = {
        'a': case.arg([0.1, 0.5, 1.0]),
        'b': case.arg(Fit(1, 0.5, 1.0, [{'val_acc': 0.4}, {'val_acc': 0.5}])),
        'c': case.arg(torch.rand(4)),
    }
    try:
        case.call(plots.plot_convergence, case.arg(runs), ax=axes(case))
        if case.maybe(0.1):
            draw(case)
    finally:
        pyplot.close('all')
