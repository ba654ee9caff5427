"""All pages have the same recipe for nearest neighbours, and it runs."""

import re
from pathlib import Path

import pytest

from torch_geometric_vgcn.datasets import planetoid

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    'README.md',
    'docs/index.md',
    'docs/get_started.md',
    'docs/guides/choosing_a_prior.md',
    'docs/guides/reading.md',
]
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


def test_readme_runs_if_a_class_has_no_validation_label(
    citeseer, monkeypatch, capsys
):
    def without_class_5(*args, **kwargs):
        dataset = planetoid(*args, **kwargs)
        dataset[0].val_mask.logical_and_(dataset[0].y != 5)
        return dataset

    code = code_of('README.md').split('import numpy')[0]
    monkeypatch.setattr(
        'torch_geometric_vgcn.datasets.planetoid', without_class_5
    )
    assert 'epochs=100' in code
    exec(code.replace('epochs=100', 'epochs=1, progress=False'), {})
    assert float(capsys.readouterr().out) > 1 / 6


def test_the_graph_of_readme_is_learned(citeseer, capsys):
    code = code_of('README.md').split('import numpy')[0]
    found = {}
    exec(code.replace('epochs=100', 'epochs=20, progress=False'), found)
    posterior = found['learner'].posterior
    parameters = list(posterior.parameters())
    # They start at 0, where the posterior is the prior:
    assert parameters and all(p.abs().max() > 0.02 for p in parameters)
    capsys.readouterr()
