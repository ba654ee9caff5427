r"""Makes the modules of ``benchmarks/scale`` importable."""

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / 'benchmarks'
for name in ('paper', 'scale'):
    sys.path.insert(0, str(BENCHMARKS / name))
