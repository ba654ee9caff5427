r"""Finds false edges, and compares their probabilities with how many are.

    python benchmarks/false_edges                    # an hour or more
    python benchmarks/false_edges --runs 1 --first 0
    python benchmarks/false_edges --page

Writes docs/results/false-edges.jsonl and false-edges.md. An interrupted run
resumes; --page makes the page without training.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.false_edges.page import parts
from benchmarks.false_edges.trials import CASES, MIXING, SLOW, Trial
from benchmarks.harness.lines import JsonLines
from benchmarks.harness.options import parsed, parser_of
from benchmarks.harness.results import write_page


def trials(first: int, runs: int) -> Iterable[Trial]:
    yield from (Trial(case, first) for case in [*CASES, *MIXING])
    for case in sorted(CASES, key=SLOW.__contains__):
        most = min(runs, 3) if case in SLOW else runs
        yield from (Trial(case, first + run) for run in range(1, most))


def main() -> None:
    parser = parser_of(__doc__, runs=5)
    parser.set_defaults(first=100, workers=1)
    args = parsed(parser)
    lines = JsonLines(args.trials / 'false-edges.jsonl', ('case', 'run'))
    if not args.page:
        lines.run(trials(args.first, args.runs), args.workers)
    rows = [*lines.read().values()]
    write_page(args.out, 'false-edges', parts(rows, [*CASES], [*MIXING]))


if __name__ == '__main__':
    main()
