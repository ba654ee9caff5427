r"""Attacked graphs, which are made once and kept."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn.attacks import (
    GradientAttack,
    LearnerSurrogate,
    NeighborhoodAttack,
    SimilarityAttack,
)
from torch_geometric_vgcn.transforms import ShuffleWords

#: Attacks of published graphs, which a data set brings with it.
PUBLISHED = ('meta', 'nettack')
#: How many pairs gradient attacks look at in a step. On Citeseer, five times
#: as many take four times as long and do no more harm to a GCN.
BLOCK = 50_000
#: Attacks of our own, of a budget and a seed.
ATTACKS: dict[str, Callable[[float, int], BaseTransform]] = {
    'prbcd': lambda budget, seed: GradientAttack(
        budget, block_size=BLOCK, seed=seed
    ),
    # With settings that our recipe chooses from:
    'adaptive': lambda budget, seed: GradientAttack(
        budget,
        LearnerSurrogate(rho1=0.5, weight=4.0),
        block_size=BLOCK,
        seed=seed,
    ),
    'similar': lambda budget, seed: SimilarityAttack(budget, seed=seed),
    'neighbors': lambda budget, seed: NeighborhoodAttack(budget, seed=seed),
    'words': lambda share, seed: ShuffleWords(share, seed=seed),
}
#: What tables and figures call them.
TITLES = {
    'meta': 'Metattack',
    'nettack': 'Nettack',
    'prbcd': 'PRBCD',
    'adaptive': 'adaptive PRBCD',
    'similar': 'similar features',
    'neighbors': 'common neighbours',
    'words': 'replaced words',
}
#: The environment variable that names the folder of attacked graphs, which
#: worker processes see too. Without it, none are kept.
FOLDER = 'VGCN_GRAPHS'


def attacked(
    data: Data, attack: str, budget: float, seed: int, name: str
) -> Data:
    r"""The data after an attack, which knows all labels and masks.

    Args:
        data (torch_geometric.data.Data): The data with their masks.
        attack (str): One of :obj:`ATTACKS`.
        budget (float): Its budget.
        seed (int): Its seed.
        name (str): The name of the file to keep the graph in.
    """
    transform = ATTACKS[attack](budget, seed)
    if attack == 'words':
        return transform(data)  # of no cost, and the graph stays
    folder = os.environ.get(FOLDER)
    path = Path(folder) / f'{name}.npz' if folder else None
    edges = None if path is None else _read(path, repr(transform))
    if edges is None:
        index = transform(data).edge_index
        edges = index[:, index[0] < index[1]]
        if path is not None:
            _write(path, edges, repr(transform))
    data.edge_index = to_undirected(edges, num_nodes=data.num_nodes)
    return data


def _read(path: Path, how: str) -> Tensor | None:
    r"""The edges of a file, each once, if it is there and was made so."""
    if not path.exists():
        return None
    with np.load(path, allow_pickle=False) as file:
        if str(file['how']) != how:
            return None
        return torch.from_numpy(file['edges'].astype(np.int64))


def _write(path: Path, edges: Tensor, how: str) -> None:
    r"""Other processes see the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f'{path.stem}.{os.getpid()}.part')
    with part.open('wb') as file:
        np.savez_compressed(
            file, edges=edges.numpy().astype(np.int32), how=how
        )
    os.replace(part, path)
