r"""A step with candidates compared with the same model through PyG's message
passing, a bare GCN on the same graph, and our own all-pairs step; and Pubmed
in one batch, with the candidates of a kNN graph.
"""

import json

import torch

from benchmarks.speed import models
from benchmarks.speed.measure import alone, megabytes, seconds


def run() -> dict:
    data = models.load()
    sparse = data.x.to_sparse_csr()
    steps = {}
    # A copy, as nothing is promised of it:
    for name, x in (('dense x', data.x.clone()), ('sparse x', sparse)):
        ours = models.learner(data)
        messages = models.along_messages(data)
        steps |= {
            f'ours, {name}': models.our_step(ours, data, x),
            f'along messages, {name}': models.our_step(messages, data, x),
            f'bare GCN, {name}': models.bare_step(data, x),
        }
    promised = models.learner(data)
    dense = models.learner(data, dense=True)
    slow = {'ours, all pairs': models.our_step(dense, data, data.x)}
    with promised.unchanged(data.x):
        step = models.our_step(promised, data, data.x)
        steps['ours, dense x unchanged'] = step
        measured = seconds(steps, repeat=25)
    return {
        'seconds': measured | seconds(slow, repeat=3, warm_up=1),
        'pubmed': alone('benchmarks.speed.candidates'),
    }


def pubmed() -> dict:
    data = models.load('PubMed')
    made: dict = {}

    def two_steps() -> None:
        model = models.learner(data)
        made['pairs'] = len(model.prior.pairs)
        made['step'] = models.our_step(model, data, data.x)
        made['step']()
        made['step']()

    peak = megabytes(two_steps)
    best = seconds({'step': made['step']}, repeat=3)['step']
    return {'pairs': made['pairs'], 'seconds': best, 'peak MB': peak}


def rows(part: dict) -> list[tuple[str, ...]]:
    r"""The rows of the page."""
    second = part['seconds']

    def figures(a: float, b: float) -> str:
        return f'{1e3 * a:.0f} ms, {1e3 * b:.0f} ms'

    promised = 'ours, dense x unchanged'
    a, b = second[promised], second['ours, all pairs']
    name = 'candidates + background step, Citeseer'
    faster = f'{b / a:.0f} × faster'
    out = [(name, 'our all-pairs step', faster, figures(a, b))]
    messages = (
        "the same model through PyG's message passing (`GCNConv(edge_weight)`)"
    )
    bare = 'one step of a bare `torch_geometric.nn.GCN`, same graph'
    for how, ours, x in (
        ('inside `learner.unchanged(x)`, as in `fit`', promised, 'dense x'),
        ('of which nothing is promised', 'ours, dense x', 'dense x'),
        ('', 'ours, sparse x', 'sparse x'),
    ):
        name, a = f'candidates step, {x} {how}'.strip(), second[ours]
        b, c = second[f'along messages, {x}'], second[f'bare GCN, {x}']
        faster, share = f'{b / a:.1f} × faster', f'{a / c:.2f} of its cost'
        out.append((name, messages, faster, figures(a, b)))
        out.append((name, bare, share, figures(a, c)))
    whole = part['pubmed']
    name = f'Pubmed in one batch, {whole["pairs"]:,} candidates'
    peak, took = f'{whole["peak MB"]:.0f} MB', f'{whole["seconds"]:.2f} s'
    out.append((name, '', peak, f'{took} per step'))
    return out


if __name__ == '__main__':
    torch.set_num_threads(1)
    print(json.dumps(pubmed()))
