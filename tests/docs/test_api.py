"""The API reference lists each public name, and nothing else."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import torch_geometric_vgcn

API = Path(__file__).parent.parent.parent / 'docs' / 'api'
PACKAGES = {
    module.name: importlib.import_module(f'torch_geometric_vgcn.{module.name}')
    for module in pkgutil.iter_modules(torch_geometric_vgcn.__path__)
    if module.ispkg
}
#: Shared by the others, and not a part of the public interface.
INTERNAL = ('utils',)
PUBLIC = {
    name: package
    for name, package in PACKAGES.items()
    if hasattr(package, '__all__') and name not in INTERNAL
}


def listed(page):
    text = (API / f'{page}.rst').read_text(encoding='utf-8')
    table = text.split('.. autosummary::')[1]
    return re.findall(r'^   (\w+)$', table, re.M)


@pytest.mark.parametrize('name', PUBLIC)
def test_page_lists_all_names_of_a_package(name):
    assert listed(name) == PUBLIC[name].__all__


@pytest.mark.parametrize('name', PUBLIC)
def test_each_name_has_a_docstring(name):
    for each in PUBLIC[name].__all__:
        assert inspect.getdoc(getattr(PUBLIC[name], each)), each


def test_each_name_of_the_top_is_on_a_page():
    pages = listed('learner')
    pages += [each for name in PUBLIC for each in listed(name)]
    names = {
        name
        for name, value in vars(torch_geometric_vgcn).items()
        if not name.startswith('_') and not inspect.ismodule(value)
    }
    assert names <= set(pages)
    assert set(listed('learner')) <= names


def test_each_page_is_in_the_contents():
    contents = (API / 'index.md').read_text(encoding='utf-8').split()
    pages = {path.stem for path in API.glob('*.rst')}
    assert pages == {'learner', *PUBLIC}
    assert pages <= set(contents)
