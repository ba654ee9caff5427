import importlib.util
from pathlib import Path

import pytest


def load_convs():
    path = Path(__file__).parents[2] / 'benchmarks' / 'convs.py'
    spec = importlib.util.spec_from_file_location('convs', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CONVS = load_convs()


def pytest_generate_tests(metafunc):
    if 'conv_name' in metafunc.fixturenames:
        metafunc.parametrize('conv_name', CONVS.IN_SCOPE)


@pytest.fixture
def convs():
    r"""All of PyG's convs, each in scope or out of it for a reason."""
    return CONVS
