r"""The data of the paper's experiments: which graph, which split."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from benchmarks.paper.attacks import ATTACKS, PUBLISHED, TITLES, attacked
from benchmarks.paper.data_sets import DATASETS
from torch_geometric_vgcn.transforms import (
    HalfValidation,
    KNNGraph,
    PoisonGraph,
    StratifiedSplit,
)


@dataclass(frozen=True)
class Case:
    r"""A data set with a graph and a kind of split. The number of the run
    selects the poisoned graph and the split.

    Args:
        dataset (str): The title of one of the data sets.
        graph (str): :obj:`'true'`, :obj:`'knn'`, a poisoned one such as
            :obj:`'add_5000'` or :obj:`'remove_500'`, or an attack and its
            budget such as :obj:`'prbcd_0.25'` or :obj:`'nettack_3'`.
        split (str, optional): :obj:`'half'` for the public split (a random
            one if there is none) with half of the validation nodes moved to
            the training set, :obj:`'public'` for the unchanged public split,
            :obj:`'random'` for random splits of the same sizes as
            :obj:`'half'`, :obj:`'share-0.05'` for random splits with that
            share of the nodes for training, 10 % for validation and the rest
            for testing. (default: :obj:`'half'`)
    """

    dataset: str
    graph: str
    split: str = 'half'

    def __post_init__(self) -> None:
        known = re.fullmatch(r'true|knn|(add|remove)_\d+', self.graph)
        if not known and self.attack is None:
            raise ValueError(
                "'graph' must be 'true', 'knn', such as 'add_5000' or "
                "'remove_500', or one of the attacks "
                f"{', '.join(TITLES)} and its budget such as 'prbcd_0.25', "
                f"got '{self.graph}'"
            )
        if self.split not in ('half', 'public', 'random') and not (
            self.share and 0 < self.share < 0.9
        ):
            raise ValueError(
                "'split' must be 'half', 'public', 'random', or such as "
                f"'share-0.05' (between 0 and 0.9), got '{self.split}'"
            )

    @property
    def share(self) -> float | None:
        r"""The share of training nodes of such splits as 'share-0.05'."""
        found = re.fullmatch(r'share-(\d+\.\d+)', self.split)
        return float(found[1]) if found else None

    @property
    def attack(self) -> str | None:
        r"""The attack of such graphs as 'prbcd_0.25'."""
        found = re.fullmatch(r'([a-z]+)_\d+(\.\d+)?', self.graph)
        return found[1] if found and found[1] in TITLES else None

    @property
    def budget(self) -> float:
        r"""The budget of such graphs as 'prbcd_0.25', otherwise zero."""
        return float(self.graph.split('_')[1]) if self.attack else 0.0

    @property
    def adds_edges(self) -> bool:
        r"""Whether false edges were added to the true graph."""
        if self.attack is None:
            return self.graph.startswith('add_')
        return self.attack != 'words' and self.budget > 0

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> 'Case':
        r"""The case of a trial's line."""
        return cls(row['dataset'], row['graph'], row['split'])

    def load(self, run: int) -> Data:
        r"""The data, including all labels and the test mask."""
        data = self.labelled(run)
        if self.graph == 'knn':
            data = KNNGraph(k=20)(data)
        elif self.attack in ATTACKS:
            name = f'{self.dataset}-{self.graph}-{self.split}-{run}'
            return attacked(data, self.attack, self.budget, run, name)
        elif self.graph != 'true' and self.attack is None:
            data.edge_index = _poisoned(self.dataset, self.graph, run, data)
        return data

    def labelled(self, run: int) -> Data:
        r"""The data with their masks, without any change of the graph but a
        published one.
        """
        if self.attack in PUBLISHED:
            data = _load(self.dataset, self.attack, self.budget).clone()
        else:
            data = _load(self.dataset).clone()
        if self.share is not None:
            return StratifiedSplit(self.share, 0.1, seed=run)(data)
        if self.split == 'random' or 'train_mask' not in data:
            data = DATASETS[self.dataset].random_split(data, run)
        if self.split == 'public':
            return data
        return HalfValidation(seed=run)(data)

    @property
    def change(self) -> str:
        r"""A short name for the change of the graph."""
        words = {'true': 'true graph', 'knn': 'no graph'}
        if self.attack is not None:
            words[self.graph] = f'{TITLES[self.attack]} {self.amount}'
        word = words.get(self.graph) or self.graph.replace(
            'add_', '+'
        ).replace('remove_', '−')
        if self.share is not None:
            return f'{word} ({100 * self.share:g} % labels)'
        return word if self.split == 'half' else f'{word} ({self.split} split)'

    @property
    def amount(self) -> str:
        r"""The budget in words."""
        if self.attack == 'nettack':
            return f'{self.budget:g}'  # changes for each attacked node
        return f'{100 * self.budget:g} %'

    def __str__(self) -> str:
        return f'{self.dataset}, {self.change}'


@cache
def _load(
    dataset: str, attack: str | None = None, budget: float = 0.0
) -> Data:
    if attack is not None:
        return DATASETS[dataset].attacked(attack, budget)
    return DATASETS[dataset].load()


def _poisoned(dataset: str, graph: str, run: int, data: Data) -> torch.Tensor:
    r"""One of the five graphs of the paper's authors if they are available,
    otherwise one of our own attack.
    """
    folder = Path(os.environ.get('VGCN_DATA', '.')).parent / 'poisoned'
    path, key = folder / f'{dataset.lower()}.npz', f'{graph}_v{run % 5}'
    if path.exists():
        with np.load(path) as graphs:
            if key in graphs:
                edges = torch.from_numpy(graphs[key].astype(np.int64))
                return to_undirected(edges, num_nodes=data.num_nodes)
    kind, count = graph.split('_')
    attack: dict[str, Any] = {kind: int(count)}
    return PoisonGraph(**attack, seed=run)(data).edge_index
