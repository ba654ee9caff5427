r"""One graph and run, and what is measured on it."""

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.false_edges.graphs import CASES, block_model, lfr
from benchmarks.false_edges.scores import OTHERS, calibration_error, found

#: Graphs that take minutes have three runs at most.
SLOW = [name for name in CASES if 'rewired' in name or 'Pubmed' in name]
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
