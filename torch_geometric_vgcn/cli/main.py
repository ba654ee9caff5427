r"""Fills in the missing labels of a table, without programming.

    python -m torch_geometric_vgcn mine.csv --label kind --report report.html

Rows whose label is blank get the most probable class. The classes of all
rows, their probabilities and the confidence are written to a CSV file, the
learned graph to another one beside it, and what was learned to a page for a
browser.
"""

import argparse
import sys
import warnings
from typing import TextIO

from torch_geometric_vgcn.cli.run import run


def main(arguments: list[str] | None = None) -> None:
    r"""Runs the command with these arguments, or those of the process."""
    parser = argparse.ArgumentParser(
        prog='python -m torch_geometric_vgcn',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add('table', help='a CSV file whose first line has the names, or a '
        'Parquet file')  # fmt: skip
    add('--label', required=True, help='the column of labels, some blank')
    add('--out', default='predictions.csv', help='the file of predictions')
    add('--name', help='the column that names the rows, if any')
    add('--drop', nargs='+', default=[], metavar='COLUMN',
        help='columns to leave out')  # fmt: skip
    add('--report', help='a page to write for a browser, with all results')
    add('--model', help='a file to save the model to, for later rows')
    add('--encoding', default='utf-8', help='the encoding of a CSV file')
    add('--fill', action='store_true',
        help='fill in missing features: numbers by the mean of their '
        'column')  # fmt: skip
    add('--quantity', action='store_true',
        help='the labels are quantities, not classes')  # fmt: skip
    add('--seed', type=int, default=0, help='the seed (default: 0)')
    args = parser.parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _tell
            print(run(args))
    except (ValueError, TypeError, OSError, ImportError) as error:
        parser.exit(1, f'{error}\n')


def _tell(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    r"""Shows a warning without the line of code that it comes from."""
    print(f'Note: {message}', file=sys.stderr)
