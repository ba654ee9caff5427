r"""Which systems meet on which data: one entry for each of the paper's
figures.
"""

from collections.abc import Callable
from dataclasses import dataclass

import reported
from cases import Case

BASELINES = ('GCN', 'SAGE', 'GAT', 'RGCN', 'LDS', 'EGCN', 'GGP')
FURTHER = ('MLP', 'GCN on kNN')
OURS = ('VGCN', 'VGCN relaxed')
ALL = OURS + BASELINES + FURTHER
CITATIONS = ('CiteSeer', 'Cora')
CHANGES = ('remove_2000', 'remove_1000', 'remove_500', 'add_500', 'add_1000',
           'add_2000', 'add_5000')  # fmt: skip


def has_features(case: Case, system: str) -> bool:
    r"""Polblogs has no features for those that live on them."""
    return case.dataset != 'Polblogs' or system not in FURTHER


@dataclass(frozen=True)
class Experiment:
    r"""A table and a figure.

    Args:
        title (str): What it shows.
        cases (Tuple[Case]): The data.
        quick (Tuple[Case]): The data of ``--quick``.
        systems (Tuple[str]): The titles of the systems.
        headline (bool, optional): Whether ``--quick`` runs it without being
            asked for it. (default: :obj:`False`)
        fits (Callable, optional): Whether a system is for a case.
            (default: :func:`has_features`)
    """

    title: str
    cases: tuple[Case, ...]
    quick: tuple[Case, ...]
    systems: tuple[str, ...]
    headline: bool = False
    fits: Callable[[Case, str], bool] = has_features


def _of(
    datasets: tuple[str, ...], *graphs: str, split: str = 'half'
) -> tuple[Case, ...]:
    return tuple(
        Case(name, graph, split) for name in datasets for graph in graphs
    )


ALL_DATA = (*CITATIONS, 'Polblogs')
NO_GRAPH = _of(CITATIONS, 'knn')
REPORTED = _of(CITATIONS, 'true', split='public') + _of(CITATIONS, 'true')

EXPERIMENTS = {
    'no-graph': Experiment(
        'No graph: the nearest neighbours by features',
        NO_GRAPH,
        NO_GRAPH[:1],
        OURS + BASELINES + ('MLP',),
        headline=True,
    ),
    'adversarial': Experiment(
        'Poisoned graphs',
        _of(ALL_DATA, *CHANGES),
        _of(ALL_DATA, 'add_5000'),
        ALL,
        headline=True,
    ),
    'reported': Experiment(
        'Baselines beside what others report of them',
        REPORTED,
        REPORTED,
        BASELINES + ('MLP',),
        fits=reported.fits,
    ),
    'true': Experiment(
        'The true graphs',
        _of(ALL_DATA, 'true'),
        _of(ALL_DATA, 'true'),
        ALL,
    ),
    'random-splits': Experiment(
        'Poisoned graphs, random splits',
        _of(CITATIONS, *CHANGES, split='random'),
        _of(CITATIONS, 'add_5000', split='random'),
        ALL,
    ),
    'discrete': Experiment(
        'Discrete or relaxed, S = 3 graphs to predict',
        NO_GRAPH + _of(CITATIONS, *CHANGES),
        NO_GRAPH + _of(CITATIONS, 'add_5000'),
        ('VGCN relaxed, S = 3', 'VGCN discrete'),
    ),
    'low-rank': Experiment(
        'Low-rank or free',
        NO_GRAPH,
        NO_GRAPH,
        ('VGCN relaxed', 'VGCN low-rank'),
    ),
    'samples': Experiment(
        'S = 3 or 16 graphs to predict',
        NO_GRAPH,
        NO_GRAPH,
        ('VGCN relaxed, S = 3', 'VGCN relaxed'),
    ),
}
