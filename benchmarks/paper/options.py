r"""The options that all of the benchmarks of trials have."""

import argparse
import os
from pathlib import Path


def add_options(
    parser: argparse.ArgumentParser,
    trials: str,
    trials_help: str,
    out_help: str,
) -> None:
    r"""Where to start, with how many processes, and where files go."""
    add = parser.add_argument
    add('--first', type=int, default=0,
        help='number of the first run (default: 0)')  # fmt: skip
    add('--workers', type=int, default=os.cpu_count(), help='processes')
    add('--trials', type=Path, default=Path(trials), help=trials_help)
    add('--out', type=Path, default=Path('docs/results'), help=out_help)


def parsed(parser: argparse.ArgumentParser) -> argparse.Namespace:
    r"""The arguments; numbers that make no sense are refused."""
    args = parser.parse_args()
    if args.workers < 1 or (args.runs is not None and args.runs < 1):
        parser.error("'--runs' and '--workers' must be at least 1")
    if args.first < 0:
        parser.error(f"'--first' must be at least 0, got {args.first}")
    return args
