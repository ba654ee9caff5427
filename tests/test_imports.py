"""Imports go one way, and the package itself loads its core only."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import torch_geometric_vgcn

NAME = 'torch_geometric_vgcn'
ROOT = Path(torch_geometric_vgcn.__file__).parent

#: Each room may import those before it.
ORDER = [
    'utils',
    'nearest',
    'pairs',
    'prior',
    'posterior',
    'sample',
    'message_passing',
    'models',
    'objective',
    'learner',
    'fixed_graph',
    'shared_graph',
    'loader',
    'analysis',
    'training',
    'scale',
    'partition',
    'transforms',
    'attacks',
    'datasets',
    'recipe',
    'estimators',
    'report',
    'plots',
    'cli',
    '__main__',
]
#: Files that belong to another room than their folder says.
ELSEWHERE = {}
#: Imports inside functions that go the other way.
LATE = {
    ('recipe', 'report'),  # VGCN.report writes the page
    ('sample', 'objective'),  # Sampler.default_objective, until 0.4
}


def rooms_imported(tree, inside=False):
    r"""Rooms that a module imports, and whether only when a function runs."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom):
            name, _, rest = (node.module or '').partition('.')
            if name == NAME:
                names = [rest] if rest else [part.name for part in node.names]
                for each in names:
                    yield each.partition('.')[0], inside
        later = isinstance(node, (ast.FunctionDef, ast.Lambda)) or (
            isinstance(node, ast.If) and 'TYPE_CHECKING' in ast.dump(node.test)
        )
        yield from rooms_imported(node, inside or later)


def imports():
    for path in sorted(ROOT.rglob('*.py')):
        place = path.relative_to(ROOT).as_posix()
        folder = place.removesuffix('.py').split('/')[0]
        if folder in ('__init__', 'checks'):  # the lists of names
            continue
        tree = ast.parse(path.read_text(encoding='utf-8'))
        for room, late in rooms_imported(tree):
            own = ELSEWHERE.get(place, folder)
            if room not in (folder, own):
                yield place, own, room, late


def test_each_room_has_a_place_in_the_order():
    rooms = {path.name.removesuffix('.py') for path in ROOT.iterdir()}
    rooms -= {'__init__', '__pycache__', 'checks', 'py.typed'}
    assert rooms == set(ORDER)


@pytest.mark.parametrize('place', ELSEWHERE)
def test_files_elsewhere_are_there(place):
    assert (ROOT / place).exists()


def test_imports_go_one_way():
    wrong = [
        f'{place} imports {room}'
        for place, own, room, late in imports()
        if ORDER.index(room) >= ORDER.index(own)
        and not (late and (own, room) in LATE)
    ]
    assert not wrong


def loaded_by(code):
    code += '\nimport sys; print(*sys.modules)'
    result = subprocess.run(
        [sys.executable, '-c', code],
        check=True,
        capture_output=True,
        text=True,
    )
    modules = result.stdout.split()
    return {name for name in modules if name.partition('.')[0] == NAME}


def test_the_package_loads_its_core_only():
    loaded = loaded_by(f'import {NAME}')
    rooms = {name.split('.')[1] for name in loaded if '.' in name}
    core = ORDER[: ORDER.index('shared_graph') + 1]
    assert rooms <= set(core) - {'nearest', 'models'}
    assert len(loaded) <= 60


def test_the_root_has_few_names():
    assert len(torch_geometric_vgcn.__all__) <= 25
    assert set(torch_geometric_vgcn.__all__) <= set(dir(torch_geometric_vgcn))


@pytest.mark.filterwarnings('error::DeprecationWarning')
@pytest.mark.parametrize('name', torch_geometric_vgcn.__all__)
def test_its_names_need_no_other_import(name):
    assert callable(getattr(torch_geometric_vgcn, name))


def test_rooms_are_loaded_when_asked_for():
    used = f'import {NAME} as vgcn; vgcn.datasets.planetoid; vgcn.training.fit'
    loaded = loaded_by(used)
    assert {f'{NAME}.datasets', f'{NAME}.training'} <= loaded


@pytest.mark.parametrize(
    'name, room',
    [
        ('IWELBO', 'objective'),
        ('Candidates', 'pairs'),
        ('ConstantPrior', 'prior'),
        ('PosteriorMean', 'sample'),
        ('Fit', 'training'),
    ],
)
def test_former_names_work_and_tell_where_they_are(name, room):
    with pytest.warns(DeprecationWarning, match=f'{room}.{name}'):
        found = getattr(torch_geometric_vgcn, name)
    assert found is getattr(getattr(torch_geometric_vgcn, room), name)


def test_other_names_are_unknown():
    with pytest.raises(AttributeError, match="has no 'Nothing'"):
        _ = torch_geometric_vgcn.Nothing


def test_each_room_can_be_imported_first():
    """In one process, which forgets the rooms between."""
    code = f"""
import importlib, sys, warnings
warnings.simplefilter('ignore')
for room in {[room for room in ORDER if room != '__main__']}:
    for name in [n for n in sys.modules if n.partition('.')[0] == '{NAME}']:
        del sys.modules[name]
    importlib.import_module('{NAME}.' + room)
"""
    done = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
