r"""A step with candidates compared with the same model through PyG's message
passing, a bare GCN on the same graph, and our own all-pairs step; and the cost
of its parts.
"""

import json
from unittest.mock import patch

import citeseer
import torch
from measure import seconds
from torch.profiler import ProfilerActivity, profile, record_function

from torch_geometric_vgcn.message_passing import matrix
from torch_geometric_vgcn.message_passing.matrix import SymmetricMatrix

PARTS = {
    'noise': ('noise',),
    'weights from noise': ('_Relaxed', '_RelaxedBackward'),
    'layout and degrees': ('layout',),
    'products and normalisation': (
        'NormalizedProduct',
        'NormalizedProductBackward',
    ),
    'features times weights': ('SparseLinear', 'SparseLinearBackward'),
    'dropout': ('aten::dropout', 'aten::native_dropout'),
    'divergence (KL)': ('_LogRatio', '_LogRatioBackward'),
    'optimiser': ('Optimizer.step#Adam.step',),
}


def run() -> dict:
    data = citeseer.load()
    sparse = data.x.to_sparse_csr()
    steps = {}
    # A copy, as nothing is promised of it:
    for name, x in (('dense x', data.x.clone()), ('sparse x', sparse)):
        ours = citeseer.learner(data)
        messages = citeseer.along_messages(data)
        steps |= {
            f'ours, {name}': citeseer.our_step(ours, data, x),
            f'along messages, {name}': citeseer.our_step(messages, data, x),
            f'bare GCN, {name}': citeseer.bare_step(data, x),
        }
    promised = citeseer.learner(data)
    dense = citeseer.learner(data, dense=True)
    slow = {'ours, all pairs': citeseer.our_step(dense, data, data.x)}
    with promised.unchanged(data.x):
        steps['ours, dense x unchanged'] = citeseer.our_step(
            promised, data, data.x
        )
        measured = seconds(steps, repeat=25)
    return {
        'seconds': measured | seconds(slow, repeat=3, warm_up=1),
        'shares': shares(data, sparse),
    }


def shares(data, x, repeat: int = 20) -> dict[str, float]:
    r"""The share of a step's time that each of its parts takes."""
    model = citeseer.learner(data)
    optimizer = citeseer.adam(model)

    def labelled(*args: object) -> SymmetricMatrix:
        with record_function('layout'):
            return SymmetricMatrix(*args)

    def step() -> None:
        optimizer.zero_grad()
        with record_function('noise'):
            noise = model.noise(citeseer.SAMPLES)
        out = model(x, noise=noise)
        model.objective(out, data.y, data.train).loss.backward()
        optimizer.step()

    step()
    step()
    with (
        patch.object(matrix, 'SymmetricMatrix', labelled),
        profile(activities=[ProfilerActivity.CPU]) as profiler,
    ):
        for _ in range(repeat):
            with record_function('whole step'):
                step()
    total = {e.key: e.cpu_time_total for e in profiler.key_averages()}
    whole = total['whole step']
    result = {
        part: sum(total.get(name, 0) for name in names) / whole
        for part, names in PARTS.items()
    }
    result['rest'] = 1 - sum(result.values())
    return result


if __name__ == '__main__':
    torch.set_num_threads(1)
    print(json.dumps(run(), indent=2))
