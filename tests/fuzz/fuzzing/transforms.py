r"""Calls of the transforms and of the searches for neighbours."""

import torch
from torch import Tensor
from torch_geometric.contrib.nn import GRBCDAttack, PRBCDAttack
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv
from torch_geometric.utils import to_undirected

import fuzzing.world as world
import torch_geometric_vgcn.transforms as T
from fuzzing.case import Case, target
from torch_geometric_vgcn.nearest import (
    ApproximateSearch,
    Cells,
    CellSearch,
    Cosine,
    ExactSearch,
    Metric,
    Minkowski,
)
from torch_geometric_vgcn.prior import jaccard_similarity


def metric(case: Case) -> Metric:
    if case.maybe():
        return case.call(Cosine)
    order = case.one_of(1, 2, 2.0, 3.5, float('inf'))
    return case.call(Minkowski, **case.kwargs(p=order))


def features(case: Case) -> Tensor:
    n = case.random.randint(1, 9)
    x = torch.randn(n, case.random.randint(1, 4))
    x = case.one_of(x, x.round(), 0 * x, x * 1e38, x * 1e-38, x.double())
    return case.one_of(x, x, x, x.to_sparse(), x.to_sparse_csr(), x.half())


@target(
    'ExactSearch', 'ApproximateSearch', 'CellSearch', 'Cosine', 'Minkowski'
)
def search(case: Case) -> None:
    x = features(case)
    if case.maybe(0.3):
        made = case.call(
            CellSearch,
            **case.kwargs(size=case.one_of(2, 9), probes=case.one_of(1, 4)),
        )
    elif case.maybe(0.9):
        made = case.call(
            ExactSearch, **case.kwargs(block_size=case.one_of(None, 1, 3))
        )
    else:
        made = case.call(
            ApproximateSearch, **case.kwargs(seed=1, num_trees=None)
        )
    k = case.one_of(1, 2, x.size(0) - 1)
    given = metric(case)
    found = case.call(made, case.arg(x), case.arg(k), case.arg(given))
    repr(made), repr(given)
    case.check(found.dim() == 2 and found.dtype == torch.int64, 'indices')
    node = torch.arange(found.size(0)).view(-1, 1)
    inside = bool((found >= 0).all() and (found < found.size(0)).all())
    case.check(inside and not bool((found == node).any()), 'in range, others')
    case.check(bool((found.diff() > 0).all()), 'ascending')


@target('Cells')
def cells(case: Case) -> None:
    x = torch.randn(case.random.randint(2, 9), 3)
    made = case.call(Cells, case.arg(x), **case.kwargs(size=case.one_of(2, 9)))
    distance, row = case.call(
        made.nearest, case.arg(x, x[:1]), case.arg(1, 2), own=False
    )
    case.check(bool((distance >= 0).all() and (row >= 0).all()), 'found')


def searches(case: Case) -> object:
    r"""A search of the user's own may answer anything."""
    return case.one_of(
        ExactSearch(),
        lambda x, k, metric: torch.full((x.size(0), k), 99),
        lambda x, k, metric: torch.zeros(x.size(0), k),
        lambda x, k, metric: torch.zeros(2, 2).long(),
        lambda x, k, metric: [[1]],
    )


@target('KNNGraph')
def knn_graph(case: Case) -> None:
    given = {}
    if case.maybe(0.3):
        given['metric'] = case.arg(metric(case))
    if case.maybe(0.2):
        given['search'] = case.arg(searches(case))
    made = case.call(
        T.KNNGraph,
        case.arg(1, 2),
        **given,
        **case.kwargs(
            cosine=case.maybe(),
            mutual=case.maybe(),
            attr=case.one_of('x', 'pos'),
        ),
    )
    data = world.graph(case)
    data.x = features(case) if case.maybe(0.3) else data.x
    data.y = data.edge_index = None
    if case.maybe(0.3):
        n = data.num_nodes
        data.batch = torch.arange(n) // case.one_of(1, 2, 3, n)
    if case.maybe(0.1):
        data = Batch.from_data_list([Data(x=data.x), Data(x=data.x)])
    data = case.call(made, case.arg(data))
    repr(made)
    case.check_edges(data.edge_index, data.num_nodes)


def check_masks(case: Case, data: Data) -> None:
    mask = data.train_mask
    right = mask.dtype == torch.bool and mask.dim() == 1
    case.check(right and mask.numel() == data.num_nodes, 'masks')


@target('BalancedSplit', 'StratifiedSplit')
def split(case: Case) -> None:
    data = world.graph(case)
    if case.maybe():
        made = case.call(
            T.BalancedSplit,
            case.arg(1, 2),
            case.arg(0, 1, 2),
            case.arg(0, 1, 2),
            **case.kwargs(seed=case.one_of(0, 7)),
        )
    else:
        made = case.call(
            T.StratifiedSplit,
            case.arg(2, 3, 0.4),
            case.arg(0, 1, 0.2),
            **case.kwargs(num_test=case.one_of(1, 0.2), seed=3),
        )
    data = case.call(made, case.arg(data))
    repr(made)
    check_masks(case, data)
    total = sum(data[f'{name}_mask'].int() for name in PARTS)
    case.check(int(total.max()) <= 1, 'each node in one part')


PARTS = ('train', 'val', 'test')


@target('HalfValidation', 'HideLabels')
def masks(case: Case) -> None:
    data = world.graph(case)
    given = case.kwargs(seed=case.one_of(0, 1))
    kind = case.random.randrange(2)
    if kind == 0:
        made = case.call(T.HideLabels, case.arg(0.5, 0, 1.0), **given)
    else:
        made = case.call(T.HalfValidation, **given)
    data = case.call(made, case.arg(data))
    repr(made)
    check_masks(case, data)


@target('UnitRows')
def unit_rows(case: Case) -> None:
    data = world.graph(case)
    data.x = case.one_of(data.x, data.x.to_sparse(), data.x.to_sparse_csr())
    made = case.call(T.UnitRows)
    shape = data.x.shape
    data = case.call(made, case.arg(data))
    repr(made)
    if case.wrongness == 0:
        case.check(data.x.shape == shape, 'shape')


@target('ShuffleFeatures', 'ShuffleWords')
def shuffle(case: Case) -> None:
    data = world.graph(case)
    data.x = case.one_of(data.x, data.x.to_sparse(), data.x.to_sparse_csr())
    kind = case.one_of(T.ShuffleFeatures, T.ShuffleWords)
    made = case.call(kind, case.arg(0.5, 0, 1.0), **case.kwargs(seed=2))
    shape = data.x.shape
    data = case.call(made, case.arg(data))
    repr(made)
    if case.wrongness == 0:
        case.check(data.x.shape == shape, 'shape')


@target(
    'AddEdges',
    'DropEdges',
    'PoisonGraph',
    'DegreePerturbation',
    'RandomPerturbation',
)
def perturbation(case: Case) -> None:
    data = world.graph(case)
    data.edge_index = to_undirected(data.edge_index)
    given = case.kwargs(seed=case.one_of(0, 5))
    kind = case.random.randrange(5)
    if kind < 2:
        kinds = (T.AddEdges, T.DropEdges)
        made = case.call(kinds[kind], case.arg(0.5, 1.0, 0.1), **given)
    else:
        given.update(case.kwargs(add=case.one_of(0, 1, 3), remove=1))
        if kind < 4:
            given.update(case.kwargs(candidates=case.one_of(1, 3)))
        if kind == 3:
            given.update(case.kwargs(window=2, dim=case.one_of(1, 2)))
        kinds = (T.DegreePerturbation, T.PoisonGraph, T.RandomPerturbation)
        made = case.call(kinds[kind - 2], **given)
    given_data = case.arg(data)
    data = case.call(made, given_data)
    repr(made)
    if case.maybe(0.3):
        data = case.call(made, case.arg(data))
    for name in ('edge_index', 'added_pairs', 'removed_pairs'):
        case.check_edges(data[name], data.num_nodes)


def surrogate(case: Case) -> object:
    epochs = case.arg(1, 2)
    if case.maybe():
        return case.call(
            T.TrainedGCN,
            **case.kwargs(hidden_channels=4, dropout=0.5),
            epochs=epochs,
        )
    return case.call(
        T.LearnerSurrogate,
        **case.kwargs(
            rho1=0.25,
            weight=case.one_of(0, 1.0),
            similarity=jaccard_similarity,
            homophily=case.one_of(None, 0, 0.8, 1),
            network=GCNConv,
        ),
        epochs=epochs,
    )


@target(
    'GradientAttack',
    'TrainedGCN',
    'LearnerSurrogate',
    'SimilarityAttack',
    'NeighborhoodAttack',
)
def attack(case: Case) -> None:
    data = world.graph(case)
    data.edge_index = to_undirected(data.edge_index)
    given = case.kwargs(seed=case.one_of(0, 5))
    kind = case.random.randrange(3)
    if kind == 0:
        given.update(case.kwargs(attack=case.one_of(PRBCDAttack, GRBCDAttack)))
        made = case.call(
            T.GradientAttack,
            case.arg(1, 2, 0.5),
            case.arg(surrogate(case)),
            block_size=case.arg(1, 10, 100),
            epochs=case.arg(1, 2),
            **given,
        )
    else:
        kinds = (T.SimilarityAttack, T.NeighborhoodAttack)
        made = case.call(kinds[kind - 1], case.arg(1, 2, 0.5), **given)
    data = case.call(made, case.arg(data))
    repr(made)
    for name in ('edge_index', 'added_pairs', 'removed_pairs'):
        case.check_edges(data[name], data.num_nodes)
