r"""The attacks on each data set, at all budgets."""

from dataclasses import dataclass

from benchmarks.harness.results import Results
from benchmarks.paper.attacks import TITLES
from benchmarks.paper.cases import Case

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


@dataclass(frozen=True)
class Series:
    r"""An attack on a data set, at all its budgets.

    Args:
        dataset (str): The title of the data set.
        attack (str): The attack.
        cases (Tuple[Case]): The cases by budget, first without the attack.
    """

    dataset: str
    attack: str
    cases: tuple[Case, ...]

    @classmethod
    def of(cls, dataset: str, attack: str) -> 'Series':
        _, split, budgets = ATTACKS[attack]
        # That of Nettack is tested on the nodes that would be attacked:
        clean = 'nettack_0' if attack == 'nettack' else 'true'
        graphs = [clean, *(f'{attack}_{budget}' for budget in budgets)]
        cases = (Case(dataset, graph, split) for graph in graphs)
        return cls(dataset, attack, tuple(cases))

    def found(self, cases: list[Case]) -> 'Series':
        r"""The part of it that is among some cases."""
        some = tuple(case for case in self.cases if case in cases)
        return Series(self.dataset, self.attack, some)

    def __str__(self) -> str:
        return f'{self.dataset}, {TITLES[self.attack]}'

    @property
    def unit(self) -> str:
        r"""What budgets are counted in."""
        if self.attack == 'nettack':
            return 'changes per attacked node'
        kind = 'words' if self.attack == 'words' else 'edges'
        return f'budget, % of the {kind}'

    def amount(self, case: Case) -> str:
        if self.attack == 'nettack':
            return f'{case.budget:g}'
        return f'{100 * case.budget:g} %'

    def accuracies(self, results: Results, system: str) -> dict[Case, float]:
        r"""The mean accuracies of a system, in %, by budget."""
        accs = {case: results.accuracies(case, system) for case in self.cases}
        return {case: float(a.mean()) for case, a in accs.items() if a.size}


SERIES = [
    Series.of(dataset, attack)
    for dataset in PROGNN + CITATIONS
    for attack, (datasets, _, _) in ATTACKS.items()
    if dataset in datasets
]
