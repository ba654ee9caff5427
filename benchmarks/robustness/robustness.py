r"""Which systems are compared under which attacks."""

import importlib.util
from collections.abc import Iterable
from functools import partial

import parts
from cases import Case
from experiment import Experiment
from lead import what_breaks_it
from series import CAUTIOUS, OURS, clean, shown
from tables import attackers, by_attack, detection

BUDGETS = (0.05, 0.1, 0.15, 0.2, 0.25)
PROGNN = ('Pro-GNN Citeseer',)
CITATIONS = ('CiteSeer', 'Cora', 'PubMed')
#: For each attack its data sets, their split, and its budgets.
ATTACKS = {
    'meta': (PROGNN, 'public', BUDGETS),
    'nettack': (PROGNN, 'public', (1, 3, 5)),
    'prbcd': (CITATIONS, 'half', BUDGETS),
    'adaptive': (CITATIONS, 'half', BUDGETS),
    'similar': (CITATIONS, 'half', BUDGETS),
    'neighbors': (CITATIONS, 'half', BUDGETS),
    'words': (CITATIONS, 'half', (0.1, 0.25, 0.5)),
}
DATASETS = PROGNN + CITATIONS
SYSTEMS = (OURS, CAUTIOUS, f'{OURS}, frozen', 'Recipe: given graph', 'GCN',
           'GAT', 'RGCN', 'GCN-Jaccard', 'GCN-SVD')  # fmt: skip
#: Systems of a package that may be missing. They take N × N matrices.
DEEPROBUST = ('Pro-GNN', 'SimPGCN')
#: Settings to choose from, for systems with others than usual.
SETTINGS = {
    'Pro-GNN': (
        {'lambda_': 0.0, 'epochs': 400},
        {'lambda_': 1e-3, 'epochs': 400},
    ),
}


def systems() -> tuple[str, ...]:
    r"""The systems that can be run."""
    if importlib.util.find_spec('deeprobust') is None:
        return SYSTEMS
    return SYSTEMS + DEEPROBUST


def fits(case: Case, system: str) -> bool:
    r"""Matrices of all pairs of nodes are too large for Pubmed."""
    return case.dataset != 'PubMed' or system not in DEEPROBUST


def experiment(
    attacks: Iterable[str] = ATTACKS, datasets: Iterable[str] = DATASETS
) -> Experiment:
    r"""Attacks on data sets, at all budgets or (quick) without and at the
    largest.
    """
    every: dict[Case, None] = {}
    quick: dict[Case, None] = {}
    for dataset in datasets:
        for attack in attacks:
            those, split, budgets = ATTACKS[attack]
            if dataset not in those:
                continue
            cases = [clean(attack, dataset, split)] + [
                Case(dataset, f'{attack}_{budget}', split)
                for budget in budgets
            ]
            every |= dict.fromkeys(cases)
            quick |= dict.fromkeys((cases[0], cases[-1]))
    return Experiment(
        'Attacks, and what they break',
        tuple(every),
        systems(),
        quick=tuple(quick),
        fits=fits,
        settings=SETTINGS,
        lead=what_breaks_it,
        table=by_attack,
        parts=(detection, attackers, partial(parts.seconds, shown=shown)),
    )
