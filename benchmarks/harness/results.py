from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.difference import (
    Difference,
    best_of,
    clearly_best,
)

#: How to write the scores of all runs.
Text = Callable[[np.ndarray], str]


@dataclass(frozen=True)
class Results:
    r"""The lines that a page shows.

    Args:
        rows (List[dict]): For each data, run and system a line.
        data (Sequence): The data, in the order of the page.
        systems (Sequence[str]): The systems, in the order of the page.
        of (Callable): Which data a line is of.
    """

    rows: list[dict]
    data: Sequence[Any]
    systems: Sequence[str]
    of: Callable[[Mapping[str, Any]], Any]

    def rows_of(self, data: Any, system: str) -> list[dict]:
        return [
            row
            for row in self.rows
            if row['system'] == system and self.of(row) == data
        ]

    def scores(
        self, data: Any, system: str, name: str = 'test_acc', factor: float = 1
    ) -> dict[int, float]:
        r"""A score of each run that has it, times a factor."""
        return {
            row['run']: factor * row[name]
            for row in self.rows_of(data, system)
            if name in row
        }

    def accuracies(self, data: Any, system: str) -> np.ndarray:
        r"""The test accuracies of all runs, in percent."""
        return np.array([*self.scores(data, system, factor=100).values()])

    def best(self, data: Any, name: str = 'test_acc', sign: int = 1) -> Any:
        r"""The system that is better than each other one by more than noise,
        where more (1) or less (-1) of a score is better.
        """
        every = {
            system: self.scores(data, system, name, sign)
            for system in self.systems
        }
        return clearly_best(every)

    def cell(
        self,
        data: Any,
        system: str,
        name: str = 'test_acc',
        text: Text | None = None,
        factor: float = 100,
        sign: int = 1,
    ) -> str:
        r"""The scores of a system, in bold if it is clearly the best (not
        with :obj:`sign=0`).
        """
        scores = self.scores(data, system, name, factor)
        if not scores:
            return ''
        out = (text or mean_and_std)(np.array([*scores.values()]))
        bold = sign and self.best(data, name, sign) == system
        return f'**{out}**' if bold else out

    def table(
        self,
        columns: Mapping[str, Any],
        cell: Callable[[Any, str], str],
        shown: Callable[[str], str] = str,
    ) -> str:
        r"""A row for each system that has any cells.

        Args:
            columns (Mapping): The titles of the columns, and what they show.
            cell (Callable): The text of a column and system.
            shown (Callable, optional): What the page calls a system.
                (default: :class:`str`)
        """
        lines = []
        for system in self.systems:
            cells = [cell(column, system) for column in columns.values()]
            if any(cells):
                lines.append([shown(system), *cells])
        return table(['system', *columns], lines)

    def by_data(
        self,
        name: str = 'test_acc',
        text: Text | None = None,
        factor: float = 100,
        sign: int = 1,
        last: tuple[str, Callable[[Any], str]] | None = None,
    ) -> str:
        r"""A row for each data and a column for each system.

        Args:
            name (str, optional): The score. (default: :obj:`'test_acc'`)
            text (Callable, optional): How to write the scores of all runs.
                (default: :func:`mean_and_std`)
            factor (float, optional): A factor of the scores.
                (default: :obj:`100`)
            sign (int, optional): :obj:`1` if more is better, :obj:`-1` if
                less is, :obj:`0` for no bold figures. (default: :obj:`1`)
            last (Tuple, optional): The head of a further column and its
                text. (default: :obj:`None`)
        """
        lines = []
        for data in self.data:
            count = {
                len(scores)
                for system in self.systems
                if (scores := self.scores(data, system, name))
            }
            runs = '–'.join(map(str, sorted({min(count), max(count)})))
            cells = [
                self.cell(data, system, name, text, factor, sign)
                for system in self.systems
            ]
            lines.append([str(data), runs, *cells])
            if last:
                lines[-1].append(last[1](data))
        head = ['data, labels', 'runs', *self.systems]
        return table(head + ([last[0]] if last else []), lines)

    def beside(
        self, data: Any, ours: str, others: Iterable[str]
    ) -> tuple[str, Difference] | None:
        r"""The best of some other systems in the runs of ours, and how much
        better ours is, in points of accuracy.
        """
        own = self.scores(data, ours, factor=100)
        every = {
            name: {
                run: acc
                for run, acc in self.scores(data, name, factor=100).items()
                if run in own
            }
            for name in others
        }
        every = {name: each for name, each in every.items() if each}
        if not every:
            return None
        best = best_of(every)
        difference = Difference.of(own, every[best])
        return (best, difference) if difference else None

    def num_runs(self, data: Sequence[Any] | None = None) -> str:
        r"""How many runs there are of each system on some data, in words."""
        count = Counter(
            (self.of(row), row['system'])
            for row in self.rows
            if data is None or self.of(row) in data
        ).values()
        least, most = min(count), max(count)
        if most == 1:
            return 'one run'
        return f'{most} runs' if least == most else f'{least} to {most} runs'


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    r"""A table in Markdown."""
    rows = [head, ['---'] * len(head), *lines]
    return '\n'.join(f'| {" | ".join(row)} |' for row in rows)


def mean_and_std(scores: np.ndarray, digits: int = 1) -> str:
    r"""The mean and, for several runs, the standard deviation."""
    mean = f'{scores.mean():.{digits}f}'
    if scores.size == 1:
        return mean
    return f'{mean} ± {scores.std(ddof=1):.{digits}f}'


def write_page(folder: Path, name: str, parts: Iterable[str]) -> None:
    r"""Writes the parts of a page that aren't empty, and prints them."""
    text = '\n\n'.join(part for part in parts if part)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f'{name}.md').write_text(text + '\n')
    print('\n' + text)
