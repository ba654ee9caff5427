"""README's code prints what README says, and it learns the graph."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
import torch

README = Path(__file__).parent.parent.parent / 'README.md'
BLOCK = re.compile(r'^```python\n(.*?)^```$', re.DOTALL | re.M)
ONE_CALL, TABLE = BLOCK.findall(README.read_text(encoding='utf-8'))


def run(code):
    r"""What a block prints, and its variables."""
    out, names = StringIO(), {}
    with redirect_stdout(out):
        exec(compile(code, 'README.md', 'exec'), names)
    return float(out.getvalue()), names


def told(code):
    (number,) = re.findall(r'^print\(.*\)  # (0\.\d{3})$', code, re.M)
    # Another processor may differ in a few of a thousand test nodes:
    return pytest.approx(float(number), abs=0.01)


@pytest.fixture(scope='module')
def one_call(citeseer):
    return run(ONE_CALL)


def test_one_call_prints_what_readme_says(one_call):
    assert one_call[0] == told(ONE_CALL)


def test_one_call_learns_the_graph(one_call):
    _, names = one_call
    for learner in names['model'].learners_['nearest neighbours']:
        free, _ = learner.posterior.terms
        # An offset to the prior's logits, which starts at zero:
        assert len(free.offset) == len(learner.prior.pairs)
        assert free.offset.abs().max() > 0.5
        assert (free.offset.abs() > 0.01).float().mean() > 0.5
        assert not torch.equal(learner.edge_probs(), learner.prior.probs)


def test_readme_takes_at_most_eighty_lines():
    assert len(README.read_text(encoding='utf-8').splitlines()) <= 80


@pytest.mark.slow
def test_table_prints_what_readme_says():
    assert run(TABLE)[0] == told(TABLE)
