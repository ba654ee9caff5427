r"""Which systems meet on which data: one entry for each of the paper's
figures.
"""

from dataclasses import dataclass

from cases import Case

BASELINES = ('GCN', 'SAGE', 'GAT', 'RGCN', 'LDS', 'EGCN', 'GGP')
FURTHER = ('MLP', 'GCN on kNN')
OURS = ('VGCN', 'VGCN relaxed')
ALL = OURS + BASELINES + FURTHER
CITATIONS = ('CiteSeer', 'Cora')
CHANGES = ('remove_2000', 'remove_1000', 'remove_500', 'add_500', 'add_1000',
           'add_2000', 'add_5000')  # fmt: skip


@dataclass(frozen=True)
class Experiment:
    r"""A table and a figure.

    Args:
        title (str): What it shows.
        cases (Tuple[Case]): The data.
        systems (Tuple[str]): The titles of the systems.
        quick (Tuple[Case], optional): The cases of ``--quick``.
            (default: :obj:`()`, not part of it unless asked for)
        quick_runs (int, optional): The runs of ``--quick``.
            (default: :obj:`3`)
        runs (int, optional): The runs of ``--full``. (default: :obj:`10`)
    """

    title: str
    cases: tuple[Case, ...]
    systems: tuple[str, ...]
    quick: tuple[Case, ...] = ()
    quick_runs: int = 3
    runs: int = 10


def _of(datasets: tuple[str, ...], *graphs: str, split: str = 'half'):
    return tuple(Case(name, graph, split) for name in datasets
                 for graph in graphs)  # fmt: skip


NO_GRAPH = _of(CITATIONS, 'knn')

PUBLIC = _of(CITATIONS, 'true', split='public')

EXPERIMENTS = {
    'no-graph': Experiment(
        'No graph: the nearest neighbours by features',
        NO_GRAPH,
        OURS + BASELINES + ('MLP',),
        quick=NO_GRAPH,
    ),
    'adversarial': Experiment(
        'Poisoned graphs',
        _of((*CITATIONS, 'Polblogs'), *CHANGES),
        ALL,
        quick=_of((*CITATIONS, 'Polblogs'), 'add_5000'),
    ),
    'reported': Experiment(
        'Baselines beside what others report of them',
        PUBLIC,
        BASELINES + ('MLP',),
        quick=PUBLIC,
    ),
    'true': Experiment(
        'The true graphs',
        _of((*CITATIONS, 'Polblogs'), 'true'),
        ALL,
    ),
    'random-splits': Experiment(
        'Poisoned graphs, random splits',
        _of(CITATIONS, *CHANGES, split='random'),
        ALL,
    ),
    'discrete': Experiment(
        'Discrete or relaxed, S = 3 graphs to predict',
        NO_GRAPH + _of(CITATIONS, *CHANGES),
        ('VGCN relaxed, S = 3', 'VGCN discrete'),
    ),
    'low-rank': Experiment(
        'Low-rank or free',
        NO_GRAPH,
        ('VGCN relaxed', 'VGCN low-rank'),
    ),
    'samples': Experiment(
        'S = 3 or 16 graphs to predict',
        NO_GRAPH,
        ('VGCN relaxed, S = 3', 'VGCN relaxed'),
    ),
}
