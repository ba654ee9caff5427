"""All pages have the same recipe for nearest neighbours, and it runs."""

import re
from pathlib import Path

import pytest

from torch_geometric_vgcn.datasets import planetoid

ROOT = Path(__file__).parent.parent.parent
ONE_CALL = [
    'README.md',
    'docs/index.md',
    'docs/get_started.md',
    'docs/guides/no_graph.md',
    'docs/guides/one_call.md',
    'docs/guides/reading.md',
    'docs/guides/untrusted_graph.md',
]
PAGES = ['docs/get_started.md', 'docs/guides/choosing_a_prior.md']
BLOCK = re.compile(r'^```python\n(.*?)^```$', re.DOTALL | re.M)


def code_of(page):
    return '\n'.join(BLOCK.findall((ROOT / page).read_text('utf-8')))


@pytest.mark.parametrize('page', PAGES)
def test_nearest_neighbours_are_trusted_by_one_tenth(page):
    code = code_of(page)
    assert 'KNNGraph(' in code
    assert set(re.findall(r'rho1=([\d.]+)', code)) == {'0.1'}


@pytest.mark.parametrize('page', PAGES)
def test_measurements_are_compared_by_distance(page):
    code = code_of(page)
    bags_of_words = 'UnitRows()' in code
    assert ('Minkowski(2)' in code) != bags_of_words


@pytest.mark.parametrize('page', ONE_CALL)
def test_the_first_pages_show_the_one_call(page):
    code = code_of(page)
    call = re.search(r"vgcn\.VGCN\(data(, effort='quick')?\)\.fit\(\)", code)
    assert call and 'Learner(' not in code[: call.start()]


def readme():
    r"""The first snippet, with less effort."""
    code = BLOCK.findall((ROOT / 'README.md').read_text('utf-8'))[0]
    assert 'VGCN(data)' in code
    effort = "effort='quick', progress=False"
    return code.replace('VGCN(data)', f'VGCN(data, {effort})')


def test_readme_runs_if_a_class_has_no_validation_label(
    citeseer, monkeypatch, capsys
):
    def without_class_5(*args, **kwargs):
        dataset = planetoid(*args, **kwargs)
        dataset[0].val_mask.logical_and_(dataset[0].y != 5)
        return dataset

    monkeypatch.setattr(
        'torch_geometric_vgcn.datasets.planetoid', without_class_5
    )
    exec(readme(), {})
    assert float(capsys.readouterr().out) > 0.6


def test_the_graph_of_readme_is_learned(citeseer, capsys):
    found = {}
    exec(readme(), found)
    (learner,) = found['model'].learners_['nearest neighbours']
    parameters = list(learner.posterior.parameters())
    # They start at 0, where the posterior is the prior:
    assert parameters and all(p.abs().max() > 0.02 for p in parameters)
    assert float(capsys.readouterr().out) > 0.7


def test_readme_has_eight_lines():
    code = BLOCK.findall((ROOT / 'README.md').read_text('utf-8'))[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 8
