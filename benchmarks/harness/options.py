r"""The options that all benchmarks have."""

import argparse
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def parser_of(
    doc: str, trials: str = 'docs/results', runs: int | None = None
) -> argparse.ArgumentParser:
    r"""Which runs, with how many processes, and where files go.

    Args:
        doc (str): The description.
        trials (str, optional): The folder of the trials.
            (default: :obj:`'docs/results'`)
        runs (int, optional): The number of runs. (default: :obj:`None`)
    """
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add('--first', type=int, default=0, help='first run (default: 0)')
    add('--runs', type=int, default=runs, help='splits, graphs and seeds')
    add('--workers', type=int, default=os.cpu_count(), help='processes')
    add('--trials', type=Path, default=Path(trials),
        help=f'folder of the trials (default: {trials})')  # fmt: skip
    add('--out', type=Path, default=Path('docs/results'),
        help='folder of the page (default: docs/results)')  # fmt: skip
    add('--page', action='store_true',
        help='train nothing: make the page from its lines')  # fmt: skip
    return parser


def choice(
    parser: argparse.ArgumentParser,
    name: str,
    what: str,
    choices: Iterable[str],
    **options: Any,
) -> None:
    r"""An option that takes some of several names."""
    choices = list(choices)
    text = f'some {what}: {"; ".join(choices)}'
    parser.add_argument(
        name, nargs='+', metavar='NAME', choices=choices, help=text, **options
    )


def parsed(parser: argparse.ArgumentParser) -> argparse.Namespace:
    r"""The arguments; numbers that make no sense are refused."""
    args = parser.parse_args()
    if args.workers < 1 or (args.runs is not None and args.runs < 1):
        parser.error("'--runs' and '--workers' must be at least 1")
    if args.first < 0:
        parser.error(f"'--first' must be at least 0, got {args.first}")
    return args
