r"""Trains with every setting of the paper's grid and checks for NaN.

    python benchmarks/grid.py   # about half an hour

Dense relaxed, dense discrete and candidates + background; Citeseer and Cora;
all combinations of the temperatures and beta; a few steps each.
"""

import argparse
import itertools
import json
import os
from pathlib import Path

import torch
from torch_geometric import seed_everything
from torch_geometric.nn import GCN
from torch_geometric.transforms import NormalizeFeatures
from tqdm import tqdm

from torch_geometric_vgcn import (
    ELBO,
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    FreePosterior,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.objective import IWELBO, BernoulliKL
from torch_geometric_vgcn.transforms import HalfValidation, KNNGraph

RHO1 = 0.99
TAU = (0.1, 0.5, 0.66)
TAU_PRIOR = (0.1, 0.5)
BETA = (1e-4, 1e-3, 1e-2, 1.0)


def learners(net: GCN, data):
    r"""All learners of the grid, with their names."""
    edge_index, n = data.edge_index, data.num_nodes
    sparse = SmoothedPrior(edge_index, n, RHO1)
    dense = SmoothedPrior(edge_index, n, RHO1, pairs=AllPairs(n))
    for prior, kind in ((sparse, 'candidates'), (dense, 'dense relaxed')):
        for tau, tau_prior, beta in itertools.product(TAU, TAU_PRIOR, BETA):
            yield (
                {'kind': kind, 'tau': tau, 'tau_o': tau_prior, 'beta': beta},
                VariationalGraphLearner(
                    net,
                    prior,
                    FreePosterior(),
                    sampler=BinaryConcrete(tau),
                    objective=IWELBO(LogisticKL(tau_prior), beta),
                ),
            )
    for beta in BETA:
        yield (
            {'kind': 'dense discrete', 'beta': beta},
            VariationalGraphLearner(
                net,
                dense,
                FreePosterior(),
                sampler=Bernoulli(),
                objective=ELBO(BernoulliKL(), beta),
            ),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--root', default=os.environ.get('VGCN_DATA'))
    parser.add_argument('--steps', type=int, default=10)
    parser.add_argument('--out', type=Path, default=Path('results/grid.json'))
    args = parser.parse_args()
    rows = []
    for name in ('CiteSeer', 'Cora'):
        data = NormalizeFeatures()(planetoid(name, args.root)[0])
        data = HalfValidation()(KNNGraph(k=10)(data))
        x = data.x.to_sparse_csr()
        net = GCN(data.num_features, 16, 2, int(data.y.max()) + 1, dropout=0.5)
        total = 2 * len(TAU) * len(TAU_PRIOR) * len(BETA) + len(BETA)
        for setting, learner in tqdm(
            learners(net, data), total=total, desc=name
        ):
            seed_everything(0)
            net.reset_parameters()
            groups = [
                {'params': net.parameters(), 'weight_decay': 5e-4},
                {'params': learner.posterior.parameters()},
            ]
            # Ten times the paper's learning rate, for larger steps.
            optimizer = torch.optim.Adam(groups, lr=0.01)
            losses = []
            for _ in range(args.steps):
                optimizer.zero_grad()
                out = learner(x, num_samples=3)
                loss = learner.objective(out, data.y, data.train_mask).loss
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            finite = all(
                bool(p.isfinite().all()) for p in learner.parameters()
            ) and bool(torch.tensor(losses).isfinite().all())
            rows.append(
                {'dataset': name, **setting,
                 'finite': finite, 'losses': losses}
            )  # fmt: skip
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(rows, indent=1))
    print('| data | model | settings | all finite | loss decreases |')
    print('| --- | --- | --- | --- | --- |')
    for key in dict.fromkeys((r['dataset'], r['kind']) for r in rows):
        mine = [r for r in rows if (r['dataset'], r['kind']) == key]
        falls = sum(r['losses'][-1] < r['losses'][0] for r in mine)
        print(
            f'| {key[0]} | {key[1]} | {len(mine)} '
            f'| {sum(r["finite"] for r in mine)} | {falls} |'
        )


if __name__ == '__main__':
    main()
