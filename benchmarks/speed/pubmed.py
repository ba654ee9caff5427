r"""Pubmed in one batch, with the candidates of a kNN graph: time and peak
memory.
"""

import json

import citeseer
import torch
from measure import alone, megabytes, seconds


def run() -> dict:
    return alone(__file__)


def figures() -> dict:
    data = citeseer.load('PubMed')
    made: dict = {}

    def two_steps() -> None:
        model = citeseer.learner(data)
        made['pairs'] = len(model.prior.pairs)
        made['step'] = citeseer.our_step(model, data, data.x)
        made['step']()
        made['step']()

    peak = megabytes(two_steps)
    best = seconds({'step': made['step']}, repeat=3)['step']
    return {
        'nodes': data.num_nodes,
        'pairs': made['pairs'],
        'seconds': best,
        'peak MB': peak,
    }


if __name__ == '__main__':
    torch.set_num_threads(1)
    print(json.dumps(figures()))
