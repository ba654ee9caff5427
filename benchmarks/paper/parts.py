r"""The parts of a page: each function takes the results and returns
Markdown.
"""

from collections.abc import Callable

from benchmarks.harness.results import Results
from benchmarks.paper.cases import Case


def by_dataset(results: Results) -> dict[str, list[Case]]:
    r"""The cases of each data set."""
    out: dict[str, list[Case]] = {}
    for case in results.data:
        out.setdefault(case.dataset, []).append(case)
    return out


def accuracies(results: Results) -> str:
    r"""Mean ± standard deviation, the best mean in bold if the 95 % interval
    of its difference to each other system is above zero: one table, or one
    per data set if there are many graphs.
    """
    if len(results.data) <= 4:
        columns = {str(case): case for case in results.data}
        return results.table(columns, results.cell)
    return '\n\n'.join(
        f'**{name}**\n\n'
        + results.table({case.change: case for case in group}, results.cell)
        for name, group in by_dataset(results).items()
    )


def seconds(results: Results, shown: Callable[[str], str] = str) -> str:
    r"""The time of a training run, mean over all graphs of a data set."""

    def cell(dataset: str, system: str) -> str:
        key = {'dataset': dataset, 'system': system}
        rows = [row for row in results.rows if key.items() <= row.items()]
        times = [row['seconds'] for row in rows]
        return f'{sum(times) / len(times):.0f}' if times else ''

    head = 'Processor seconds per training run, on one core:'
    columns = {name: name for name in by_dataset(results)}
    return f'{head}\n\n{results.table(columns, cell, shown)}'
