r"""Finds false edges, and compares their probabilities with how many are.

    python benchmarks/false_edges                    # an hour or more
    python benchmarks/false_edges --runs 1 --first 0

Writes docs/results/false-edges.jsonl and false-edges.md. An interrupted run
resumes.
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / 'benchmarks' / 'paper'))
from edge_trial import CASES, MIXING, SLOW, Trial  # noqa: E402
from false_edges_page import page  # noqa: E402
from json_lines import JsonLines  # noqa: E402


def trials(first: int, runs: int) -> Iterable[Trial]:
    yield from (Trial(case, first) for case in [*CASES, *MIXING])
    for case in sorted(CASES, key=SLOW.__contains__):
        most = min(runs, 3) if case in SLOW else runs
        yield from (Trial(case, first + run) for run in range(1, most))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument('--first', type=int, default=100)
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--out', type=Path, default=ROOT / 'docs' / 'results')
    args = parser.parse_args()
    lines = JsonLines(args.out / 'false-edges.jsonl', ('case', 'run'))
    lines.run(trials(args.first, args.runs), workers=1)
    text = page(list(lines.read().values()), list(CASES), list(MIXING))
    (args.out / 'false-edges.md').write_text(text)
    print(text)


if __name__ == '__main__':
    main()
