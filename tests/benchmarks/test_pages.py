r"""Each page in docs/results is what its lines say."""

import re
from pathlib import Path

import pytest

from benchmarks.false_edges import page as false_edges
from benchmarks.false_edges.graphs import CASES
from benchmarks.false_edges.trials import MIXING
from benchmarks.harness.lines import JsonLines
from benchmarks.one_call import __main__ as one_call
from benchmarks.one_call.page import parts as one_call_parts
from benchmarks.one_call.trials import ON_GRAPHS, ON_TABLES
from benchmarks.paper.experiments import EXPERIMENTS
from benchmarks.paper.page import write
from benchmarks.paper.trials import FIELDS
from benchmarks.robustness.page import parts as robustness_parts

RESULTS = Path(__file__).parents[2] / 'docs' / 'results'
PAPER = [*EXPERIMENTS, 'no-graph-all-graphs', 'adversarial-all-graphs']


def page_of(name, fields):
    r"""The page, its lines, and the command that it names."""
    page = (RESULTS / f'{name}.md').read_text()
    (command,) = set(re.findall(r' from `(python benchmarks/[^`]*)`', page))
    rows = [*JsonLines(RESULTS / f'{name}.jsonl', fields).read().values()]
    return page, rows, command


@pytest.mark.parametrize('name', PAPER)
def test_pages_of_the_paper(name, tmp_path):
    page, rows, command = page_of(name, FIELDS)
    experiment = EXPERIMENTS[name.removesuffix('-all-graphs')]
    write(name, experiment, rows, tmp_path, command)
    assert (tmp_path / f'{name}.md').read_text() == page
    assert f'--only {name.removesuffix("-all-graphs")}' in command


def test_robustness():
    page, rows, command = page_of('robustness', FIELDS)
    assert '\n\n'.join(robustness_parts(rows, command)) + '\n' == page


def test_one_call():
    page, rows, command = page_of('one-call', one_call.FIELDS)
    runs = int(re.search(r'--runs (\d+)', command)[1])
    rows = [row for row in rows if row['run'] in range(100, 100 + runs)]
    parts = one_call_parts(
        rows,
        {
            'Graphs': (one_call.GRAPHS, ON_GRAPHS),
            'Tables': (one_call.TABLES, ON_TABLES),
        },
        f'`{command}`; the lines are in [one-call.jsonl](one-call.jsonl)',
    )
    assert '\n\n'.join(parts) + '\n' == page


def test_false_edges():
    lines = JsonLines(RESULTS / 'false-edges.jsonl', ('case', 'run'))
    rows = [*lines.read().values()]
    parts = false_edges.parts(rows, [*CASES], [*MIXING])
    page = (RESULTS / 'false-edges.md').read_text()
    assert '\n\n'.join(parts) + '\n' == page
