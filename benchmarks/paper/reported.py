r"""Reported accuracies of each system on the true graphs."""

from typing import NamedTuple

from benchmarks.harness.results import Results, mean_and_std, table
from benchmarks.paper.cases import Case


class Reported(NamedTuple):
    r"""A test accuracy in percent, its source, and its split (see
    :class:`~cases.Case`).
    """

    accuracy: float
    source: str
    split: str = 'public'


KIPF = 'Kipf and Welling 2017, https://arxiv.org/abs/1609.02907'
VELICKOVIC = 'Veličković et al. 2018, https://arxiv.org/abs/1710.10903'
ZHU = 'Zhu et al. 2019, https://doi.org/10.1145/3292500.3330851'
# Hamilton et al. use other data sets, so a reproduction is cited.
QU = 'reproduction, https://github.com/quqixun/gnn-pytorch'
FRANCESCHI = 'Franceschi et al. 2019, https://arxiv.org/abs/1903.11960'
ZHANG = 'Zhang et al. 2019, https://arxiv.org/abs/1811.11103'
NG = 'Ng et al. 2018, https://arxiv.org/abs/1809.04379'

REPORTED = {
    'MLP': {
        'Cora': Reported(59.1, FRANCESCHI),
        'CiteSeer': Reported(58.4, FRANCESCHI),
    },
    'GCN': {'Cora': Reported(81.5, KIPF), 'CiteSeer': Reported(70.3, KIPF)},
    'SAGE': {'Cora': Reported(80.1, QU), 'CiteSeer': Reported(70.1, QU)},
    'GAT': {
        'Cora': Reported(83.0, VELICKOVIC),
        'CiteSeer': Reported(72.5, VELICKOVIC),
    },
    'RGCN': {'Cora': Reported(82.8, ZHU), 'CiteSeer': Reported(71.2, ZHU)},
    'LDS': {
        'Cora': Reported(84.1, FRANCESCHI, 'half'),
        'CiteSeer': Reported(75.0, FRANCESCHI, 'half'),
    },
    'EGCN': {'Cora': Reported(81.2, ZHANG), 'CiteSeer': Reported(72.2, ZHANG)},
    'GGP': {'Cora': Reported(80.9, NG), 'CiteSeer': Reported(69.7, NG)},
}


def fits(case: Case, system: str) -> bool:
    r"""Whether an accuracy of the system was reported on such data."""
    reported = REPORTED.get(system, {}).get(case.dataset)
    return reported is not None and reported.split == case.split


def compared(results: Results) -> str:
    r"""Our results and the reported ones."""
    lines = []
    for title, datasets in REPORTED.items():
        for name, (reported, source, split) in datasets.items():
            acc = results.accuracies(Case(name, 'true', split), title)
            if acc.size:
                ours = mean_and_std(acc)
                gap = f'{acc.mean() - reported:+.1f}'
                line = [f'{reported:.1f}', source, ours, gap]
                lines.append([title, name, split, *line])
    head = ['system', 'data set', 'split', 'reported', 'source', 'ours']
    return table([*head, 'difference'], lines)
