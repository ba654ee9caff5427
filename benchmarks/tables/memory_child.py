r"""Fits one system to a table of so many rows, within limits of memory and
processor time, and prints its accuracy.
"""

import argparse
import json
import resource
import sys
from pathlib import Path
from typing import Any

from manifold import manifold

#: The exit code for memory that ran out.
OUT_OF_MEMORY = 77
NEIGHBORS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add('--system', required=True)
    add('--rows', type=int, required=True)
    add('--gigabytes', type=float, required=True)
    add('--seconds', type=int, required=True)
    args = parser.parse_args()
    size = int(args.gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    limit = args.seconds, args.seconds + 60
    resource.setrlimit(resource.RLIMIT_CPU, limit)
    try:
        found = {'accuracy': fit(args.system, args.rows)}
    except (MemoryError, RuntimeError) as error:
        # torch has a RuntimeError for it:
        if isinstance(error, RuntimeError) and 'memory' not in str(error):
            raise
        print(json.dumps({'peak_mb': peak_mb()}))
        sys.exit(OUT_OF_MEMORY)
    print(json.dumps({**found, 'peak_mb': peak_mb()}))


def peak_mb() -> float:
    r"""The peak memory of this process. That of :obj:`getrusage` begins, on
    Linux, with the memory of the process that started this one.
    """
    for line in Path('/proc/self/status').read_text().splitlines():
        if line.startswith('VmHWM:'):
            return int(line.split()[1]) / 1024
    raise RuntimeError('/proc/self/status has no VmHWM')


def fit(system: str, num_rows: int) -> float:
    r"""The accuracy on rows without a label."""
    x, truth, y = manifold(num_rows)
    model = _model(system).fit(x, y)
    hidden = y < 0
    return float((model.transduction_ == truth)[hidden].mean())


def _model(system: str) -> Any:
    if system == 'VGCN':
        from torch_geometric_vgcn.estimators import VGCNClassifier

        return VGCNClassifier(n_neighbors=NEIGHBORS, random_state=0)
    from sklearn.semi_supervised import LabelSpreading

    return LabelSpreading(kernel='knn', n_neighbors=NEIGHBORS)


if __name__ == '__main__':
    main()
