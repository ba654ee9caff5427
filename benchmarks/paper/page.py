from pathlib import Path

from benchmarks.harness.results import Results, write_page
from benchmarks.paper.cases import Case
from benchmarks.paper.experiments import Experiment
from benchmarks.paper.parts import accuracies


def write(
    name: str,
    experiment: Experiment,
    rows: list[dict],
    folder: Path,
    command: str,
) -> None:
    r"""Writes the page of an experiment."""
    found = {Case.of(row) for row in rows}
    results = Results(
        rows,
        [case for case in experiment.cases if case in found],
        list(dict.fromkeys(row['system'] for row in rows)),
        Case.of,
    )
    runs = results.num_runs()
    several = len({row['run'] for row in rows}) > 1
    how = f'mean ± standard deviation of {runs}' if several else runs
    parts = [
        f'# {experiment.title}',
        experiment.lead(results) if experiment.lead else '',
        f'Test accuracy, {how}, from `{command}`; the underlying results are '
        f'in [{name}.jsonl]({name}.jsonl).',
        accuracies(results),
        *(part(results) for part in experiment.parts),
    ]
    write_page(folder, name, parts)
