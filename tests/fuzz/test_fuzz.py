r"""Everything public is called with right and wrong arguments: each call gives
a right answer, or an error that the package itself raised.
"""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fuzzing import TARGETS, run
from fuzzing.case import COVERED
from fuzzing.errors import is_own

import torch_geometric_vgcn
from torch_geometric_vgcn.utils import check_positive, place_of

FOLDER = Path(__file__).parent
CALLS = 10_000


@pytest.mark.parametrize('name', TARGETS)
def test_some_calls(name):
    failures = [run(name, seed)[1] for seed in range(12)]
    assert not any(failures), '\n'.join(filter(None, failures))


@pytest.mark.slow
def test_many_calls():
    r"""In processes of their own, so that a crash is told, not shared."""
    calls, told, seed = 0, [], 1000
    while calls < CALLS:
        process = subprocess.run(
            [sys.executable, '-m', 'fuzzing', 'all', str(seed), '5'],
            cwd=FOLDER,
            capture_output=True,
            text=True,
        )
        count = re.search(r'^(\d+) calls, ', process.stdout, re.MULTILINE)
        if count is None:
            told.append(f'crashed ({process.returncode}), last of all\n')
            told[-1] += process.stderr[-2000:]
            break
        calls, seed = calls + int(count[1]), seed + 5
        if process.returncode != 0:
            told.append(process.stdout)
    assert not told, '\n'.join(told)


def public_names():
    r"""What the package and its parts offer, but for abstract classes."""
    root = torch_geometric_vgcn
    parts = [root] + [
        importlib.import_module(f'{root.__name__}.{part.name}')
        for part in pkgutil.iter_modules(root.__path__)
        if part.ispkg and part.name not in ('checks', 'utils')
    ]
    for part in parts:
        for name in getattr(part, '__all__', vars(part)):
            value = getattr(part, name)
            own = getattr(value, '__module__', '').startswith(root.__name__)
            if own and callable(value) and not inspect.isabstract(value):
                yield name


@pytest.mark.parametrize('name', sorted(set(public_names())))
def test_each_public_name_is_called(name):
    assert name in COVERED


def test_only_errors_of_the_package_count():
    with pytest.raises(TypeError) as own:
        check_positive('abc', 'beta')
    assert is_own(own.value)
    with pytest.raises(TypeError) as internal:
        place_of(None, 3)
    assert not is_own(internal.value)
    with pytest.raises(ValueError) as foreign:
        raise ValueError('raised by the test')
    assert not is_own(foreign.value)


def test_a_case_can_be_replayed():
    command = [sys.executable, '-m', 'fuzzing', 'likelihood', '0']
    process = subprocess.run(
        command, cwd=FOLDER, capture_output=True, text=True
    )
    assert 'calls, ' in process.stdout
