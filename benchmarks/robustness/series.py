from dataclasses import dataclass
from functools import cached_property

from attacks import TITLES
from cases import Case
from page import Page

#: The system that learns the graph, and what it is compared with.
OURS, BASELINE = 'Recipe: fitted prior', 'GCN'
#: Ours for data that somebody may have attacked.
CAUTIOUS = 'Recipe: cautious prior'
#: What the page calls systems.
SHOWN = {
    OURS: 'VGCN',
    f'{OURS}, frozen': 'VGCN frozen',
    CAUTIOUS: 'VGCN cautious',
}


def shown(system: str) -> str:
    return SHOWN.get(system, system)


@dataclass(frozen=True)
class Series:
    r"""An attack on a data set, at all its budgets.

    Args:
        dataset (str): The title of the data set.
        attack (str): The attack.
        cases (Tuple[Case]): The cases that have results, by budget.
    """

    dataset: str
    attack: str
    cases: tuple[Case, ...]

    def __str__(self) -> str:
        return f'{self.dataset}, {TITLES[self.attack]}'

    @cached_property
    def unit(self) -> str:
        r"""What budgets are counted in."""
        if self.attack == 'nettack':
            return 'changes per attacked node'
        kind = 'words' if self.attack == 'words' else 'edges'
        return f'budget, % of the {kind}'

    def amount(self, case: Case) -> str:
        return f'{self.place(case):g}' + ' %' * (self.attack != 'nettack')

    def place(self, case: Case) -> float:
        r"""The budget as a number of its unit."""
        return case.budget * (1 if self.attack == 'nettack' else 100)

    def accuracies(self, page: Page, system: str) -> dict[Case, float]:
        r"""The mean accuracies of a system, in %, by budget."""
        accs = {case: page.accuracies(case, system) for case in self.cases}
        return {case: float(a.mean()) for case, a in accs.items() if a.size}


def clean(attack: str, dataset: str, split: str) -> Case:
    r"""The case without an attack. That of Nettack is tested on the nodes
    that would be attacked.
    """
    graph = 'nettack_0' if attack == 'nettack' else 'true'
    return Case(dataset, graph, split)


def series_of(page: Page) -> list[Series]:
    r"""All attacks of a page."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in page.cases:
        if case.attack is not None:
            key = case.dataset, case.attack
            first = clean(case.attack, case.dataset, case.split)
            start = [first] if first in page.cases else []
            groups.setdefault(key, start).append(case)
    return [
        Series(*key, tuple(sorted(set(cases), key=lambda c: c.budget)))
        for key, cases in groups.items()
    ]
