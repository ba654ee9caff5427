r"""Makes the modules of ``benchmarks/one_call`` importable."""

import sys
from pathlib import Path

import pytest

pytest.importorskip('sklearn')

BENCHMARKS = Path(__file__).parents[2] / 'benchmarks'
for name in ('paper', 'tables', 'one_call'):
    sys.path.insert(0, str(BENCHMARKS / name))
