r"""Replays cases: ``python -m fuzzing NAME SEED [COUNT]``. With ``--chunk``
as the last argument only the number of calls is said, and each case before it
starts, so that a crash shows where it was.
"""

import resource
import sys

import torch

from fuzzing import TARGETS, run

GIGABYTES = 6


def main() -> int:
    torch.set_num_threads(1)
    limit = GIGABYTES * 2**30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    names, seed, count = sys.argv[1], int(sys.argv[2]), 1
    if len(sys.argv) > 3:
        count = int(sys.argv[3])
    calls, failed = 0, 0
    for name in TARGETS if names == 'all' else names.split(','):
        for number in range(seed, seed + count):
            print(f'case {name} {number}', file=sys.stderr, flush=True)
            some, failure = run(name, number)
            calls += some
            if failure is not None:
                failed += 1
                print(failure, flush=True)
    print(f'{calls} calls, {failed} failed')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
