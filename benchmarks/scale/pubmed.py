r"""The accuracy on Pubmed with as many false citations as right ones, of
candidates in batches: all in memory (:func:`fit`), and partitioned on
disk into one shard and into two.

    python benchmarks/scale/pubmed.py --seeds 3
"""

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN
from torch_geometric.transforms import Compose, NormalizeFeatures

from torch_geometric_vgcn import (
    EvidencePrior,
    FreePosterior,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
    fit,
)
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.objective import IWELBO
from torch_geometric_vgcn.partition import PartitionedLearner, partition_graph
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.training import fit_partitioned, predict_partitioned
from torch_geometric_vgcn.transforms import HalfValidation, PoisonGraph

PARTS, STEPS, LR = 20, 200, 0.02
# Shards and clusters per batch; without shards, all is in memory:
CASES = {'in memory': (0, 4), '1 shard': (1, 4), '2 shards': (2, 2)}


def load(seed: int) -> tuple[Data, Prior]:
    data = planetoid('PubMed')[0]
    steps = [NormalizeFeatures(), HalfValidation(seed=seed)]
    steps.append(PoisonGraph(add=data.num_edges // 2, seed=seed))
    data = Compose(steps)(data)
    prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1=0.5)
    return data, EvidencePrior(prior, data.x, 2.0)


def probabilities(
    name: str, data: Data, prior: Prior, clusters: ClusterData, seed: int
) -> torch.Tensor:
    shards, batch_size = CASES[name]
    num_classes = int(data.y.max()) + 1
    seed_everything(seed)
    net = GCN(data.num_features, 16, 2, num_classes, dropout=0.5)
    # The same number of batches, whatever a step consists of:
    epochs = STEPS * batch_size // PARTS
    if shards == 0:
        posterior = FreePosterior(sparse=True)
        learner = VariationalGraphLearner(
            net, prior, posterior, objective=IWELBO(LogisticKL())
        )
        loader = ClusterLoader(clusters, batch_size=batch_size, shuffle=True)
        fit(
            learner,
            data,
            loader,
            epochs=epochs,
            patience=50,
            lr=LR,
            logit_optimizer=torch.optim.Adam,
        )
        return learner.predict(data.x)
    with TemporaryDirectory() as folder:
        graph = partition_graph(
            Path(folder),
            data.x,
            prior.pairs.index,
            data.y,
            data.train_mask,
            data.val_mask,
            cluster=clusters.cluster,
            num_shards=shards,
            rho0=prior.background,
            logits=prior.logits,
        )
        learner = PartitionedLearner(net, graph)
        # As many steps:
        epochs = STEPS // (PARTS // shards // batch_size)
        fit_partitioned(learner, batch_size=batch_size, epochs=epochs, lr=LR)
        node, prob = predict_partitioned(learner, batch_size=PARTS // shards)
    return torch.empty_like(prob).index_copy(0, node, prob)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--out', type=Path, default=Path('results/scale'))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for seed in range(args.seeds):
        data, prior = load(seed)
        clusters = ClusterData(data, PARTS, log=False)
        for name in CASES:
            prob = probabilities(name, data, prior, clusters, seed)
            acc, _ = evaluate(prob, data.y, data.test_mask)
            rows.append({'seed': seed, 'model': name, 'test_acc': acc})
            print(json.dumps(rows[-1]), flush=True)
    path = args.out / 'pubmed.json'
    path.write_text(json.dumps(rows, indent=2))


if __name__ == '__main__':
    main()
