r"""Finds false edges, and compares their probabilities with how many are.

    python benchmarks/false_edges                    # 5 runs, about 2 hours
    python benchmarks/false_edges --runs 1 --first 0

Writes docs/results/false-edges.jsonl and false-edges.md. An interrupted run
resumes.
"""

import argparse
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / 'benchmarks' / 'paper'))
from false_edges_page import page  # noqa: E402
from graphs import CASES, block_model, lfr  # noqa: E402
from json_lines import JsonLines  # noqa: E402
from scores import OTHERS, calibration_error, found  # noqa: E402
from sklearn.metrics import roc_auc_score  # noqa: E402

#: How many edges between classes there are, for VGCN alone.
MIXING = {
    f'{name}, mixing {mixing:g}': partial(make, mixing=mixing)
    for name, make in (('block model', block_model), ('LFR', lfr))
    for mixing in (0.0, 0.05, 0.1, 0.2, 0.3)
}


@dataclass(frozen=True)
class Trial:
    case: str
    run: int

    @property
    def key(self) -> dict[str, Any]:
        return {'case': self.case, 'run': self.run}

    def train(self) -> dict[str, Any]:
        data = {**CASES, **MIXING}[self.case](self.run)
        start = time.process_time()
        prob, share = found(data, self.run)
        seconds = time.process_time() - start
        auc = {'VGCN': roc_auc_score(data.right, prob)}
        if self.case in CASES:
            for name, score in OTHERS.items():
                auc[name] = roc_auc_score(data.right, score(data, self.run))
        return {
            **self.key,
            'system': 'VGCN',
            'auc': auc,
            'ece': calibration_error(prob, data.right),
            'share': float(share),
            'right': float(data.right.float().mean()),
            'bins': bins(prob.numpy(), data.right.numpy()),
            'seconds': round(seconds, 1),
        }


def bins(prob: np.ndarray, right: np.ndarray) -> list[list[float]]:
    r"""Number, mean probability and share of right edges of each fifth."""
    place = (5 * prob).astype(int).clip(max=4)
    return [
        [int(own.sum()), float(prob[own].mean()), float(right[own].mean())]
        if own.any()
        else [0, 0.0, 0.0]
        for own in (place == number for number in range(5))
    ]


def trials(first: int, runs: int) -> Iterable[Trial]:
    for run in range(first, first + runs):
        yield from (Trial(case, run) for case in reversed(CASES))
        if run == first:
            yield from (Trial(case, run) for case in MIXING)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument('--first', type=int, default=100)
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--out', type=Path, default=ROOT / 'docs' / 'results')
    args = parser.parse_args()
    lines = JsonLines(args.out / 'false-edges.jsonl', ('case', 'run'))
    lines.run(trials(args.first, args.runs), workers=1)
    text = page(list(lines.read().values()), list(CASES), list(MIXING))
    (args.out / 'false-edges.md').write_text(text)
    print(text)


if __name__ == '__main__':
    main()
