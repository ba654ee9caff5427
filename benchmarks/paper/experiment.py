from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cases import Case
from page import Page
from parts import accuracies, boxes


def any_system(case: Case, system: str) -> bool:
    return True


def any_settings(case: Case, settings: Mapping[str, Any]) -> bool:
    return True


@dataclass(frozen=True)
class Experiment:
    r"""A page with a table and figures.

    Args:
        title (str): The title of the page.
        cases (Tuple[Case]): The data.
        systems (Tuple[str]): The titles of the systems.
        quick (Tuple[Case], optional): The data of ``--quick``.
            (default: all)
        headline (bool, optional): Whether ``--quick`` runs it by default.
            (default: :obj:`False`)
        further (bool, optional): Whether it is not in the paper, and runs
            only if asked for. (default: :obj:`False`)
        fits (Callable, optional): Whether a system is run on a case.
            (default: always)
        tries (Callable, optional): Whether settings are tried on a case.
            (default: always)
        vary (Mapping, optional): Settings to choose from in addition to the
            system's own. (default: none)
        settings (Mapping, optional): For each system the settings to choose
            from, instead of those of ``--quick``. (default: none)
        lead (Callable, optional): The page's first paragraph.
            (default: none)
        table (Callable, optional): The page's table. (default: the
            accuracy of each system in each case)
        parts (Tuple[Callable], optional): What the page shows below the
            table. (default: a box plot)
    """

    title: str
    cases: tuple[Case, ...]
    systems: tuple[str, ...]
    quick: tuple[Case, ...] = ()
    headline: bool = False
    further: bool = False
    fits: Callable[[Case, str], bool] = any_system
    tries: Callable[[Case, Mapping[str, Any]], bool] = any_settings
    vary: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    settings: Mapping[str, Sequence[Mapping[str, Any]]] = field(
        default_factory=dict
    )
    lead: Callable[[Page], str] | None = None
    table: Callable[[Page], str] = accuracies
    parts: tuple[Callable[[Page], str], ...] = (boxes,)
