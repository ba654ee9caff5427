from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from cell import Cell
from difference import clearly_best
from markdown_table import table


@dataclass(frozen=True)
class Results:
    r"""The lines of all trials that a page shows.

    Args:
        rows (List[dict]): The lines.
        cells (List[Cell]): The data, in the order of the page.
        systems (List[str]): The titles of the systems.
    """

    rows: list[dict]
    cells: Sequence[Cell]
    systems: Sequence[str]

    def rows_of(self, cell: Cell, system: str) -> list[dict]:
        return [
            row
            for row in self.rows
            if row['system'] == system and Cell.of(row) == cell
        ]

    def scores(
        self, cell: Cell, name: str, factor: float = 1.0
    ) -> dict[str, dict[int, float]]:
        r"""For each system that has it, a score of each run, times a
        factor.
        """
        every = {
            system: {
                row['run']: factor * row[name]
                for row in self.rows_of(cell, system)
                if name in row
            }
            for system in self.systems
        }
        return {system: scores for system, scores in every.items() if scores}

    def table(
        self,
        name: str,
        text: Callable[[np.ndarray], str],
        factor: float = 1.0,
        sign: int = 0,
        last: Callable[[Cell], str] | None = None,
    ) -> str:
        r"""A row for each cell and a column for each system, the best in bold
        if it is better than each other one by more than noise.

        Args:
            name (str): The name of the score.
            text (Callable): How to write the scores of all runs.
            factor (float, optional): A factor of the scores.
                (default: :obj:`1.0`)
            sign (int, optional): :obj:`1` if more is better, :obj:`-1` if
                less is, :obj:`0` for no bold figures. (default: :obj:`0`)
            last (Callable, optional): A further column.
                (default: :obj:`None`)
        """
        lines = []
        for cell in self.cells:
            scores = self.scores(cell, name, factor)
            best = clearly_best(
                {
                    system: {run: sign * value for run, value in each.items()}
                    for system, each in scores.items()
                }
            )
            line = [str(cell), self._runs(scores)]
            for system in self.systems:
                if system not in scores:
                    line.append(self._failure(cell, system))
                    continue
                one = text(np.array(list(scores[system].values())))
                line.append(f'**{one}**' if system == best else one)
            lines.append(line + ([last(cell)] if last else []))
        head = ['data, labels', 'runs', *self.systems]
        return table(head + (['published'] if last else []), lines)

    @staticmethod
    def _runs(scores: dict[str, dict[int, float]]) -> str:
        r"""The number of runs, or the least and the greatest."""
        count = {len(each) for each in scores.values()}
        return '–'.join(map(str, sorted({min(count), max(count)})))

    def _failure(self, cell: Cell, system: str) -> str:
        failed = (row.get('failed') for row in self.rows_of(cell, system))
        return next(filter(None, failed), '')
