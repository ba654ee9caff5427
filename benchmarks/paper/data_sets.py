r"""The data sets."""

import os
from abc import ABC, abstractmethod
from copy import copy
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import NormalizeFeatures
from torch_geometric.utils import remove_self_loops, to_undirected

from torch_geometric_vgcn.datasets import planetoid, polblogs, prognn
from torch_geometric_vgcn.transforms import BalancedSplit, StratifiedSplit


class Dataset(ABC):
    #: The name in tables.
    title: ClassVar[str]
    #: Whether nodes have features, for the systems that need them.
    has_features: ClassVar[bool] = True

    @abstractmethod
    def load(self) -> Data:
        r"""The true graph with dense features. If there is a public split,
        its masks are included.
        """

    def attacked(self, attack: str, rate: float) -> Data:
        r"""A published attacked graph of the true graph, with the masks of
        the public split.
        """
        raise ValueError(
            f'{self.title} has no published graph of the attack {attack!r}'
        )

    def random_split(self, data: Data, seed: int) -> Data:
        r"""10 % training, 10 % validation, 80 % test nodes."""
        return StratifiedSplit(0.1, 0.1, seed=seed)(data)


class Citations(Dataset):
    r"""Papers with citations as edges and bags of words as features."""

    def load(self) -> Data:
        return NormalizeFeatures()(planetoid(self.title)[0])

    def random_split(self, data: Data, seed: int) -> Data:
        r"""A split of the public sizes, with 20 training nodes per class."""
        return BalancedSplit(seed=seed)(data)


class CiteSeer(Citations):
    title = 'CiteSeer'


class Cora(Citations):
    title = 'Cora'


class PubMed(Citations):
    title = 'PubMed'


class Polblogs(Dataset):
    r"""Political blogs, with links as edges and an identity matrix as
    features.
    """

    title = 'Polblogs'
    has_features = False

    def load(self) -> Data:
        data = polblogs()[0]
        data.x = data.x.to_dense()
        return data


class ProGNNCiteseer(Dataset):
    r"""The largest component of Citeseer with the split and the attacked
    graphs of the Pro-GNN paper.
    """

    title = 'Pro-GNN Citeseer'

    def load(self) -> Data:
        return NormalizeFeatures()(prognn('citeseer')[0])

    def attacked(self, attack: str, rate: float) -> Data:
        data = NormalizeFeatures()(prognn('citeseer', attack, rate)[0])
        del data.added_pairs, data.removed_pairs  # which no system may see
        return data


class Heterophilous(Dataset):
    r"""A graph whose edges often join different classes, from `"A critical
    look at the evaluation of GNNs under heterophily"
    <https://arxiv.org/abs/2302.11640>`_, with the ten splits of its file.
    """

    file: ClassVar[str]

    def load(self) -> Data:
        with np.load(self.path, allow_pickle=False) as file:
            x, y, edges = (
                torch.from_numpy(file[name])
                for name in ('node_features', 'node_labels', 'edges')
            )
        edge_index, _ = remove_self_loops(edges.long().t())
        edge_index = to_undirected(edge_index, num_nodes=x.size(0))
        return Data(x=x.float(), y=y.long(), edge_index=edge_index)

    def random_split(self, data: Data, seed: int) -> Data:
        r"""The split of the file whose number is the seed modulo ten."""
        data = copy(data)
        with np.load(self.path, allow_pickle=False) as file:
            for part in ('train', 'val', 'test'):
                masks = torch.from_numpy(file[f'{part}_masks'])
                data[f'{part}_mask'] = masks[seed % len(masks)]
        return data

    @property
    def path(self) -> Path:
        data = Path(os.environ.get('VGCN_DATA', '.'))
        path = data.parent / 'heterophilous' / self.file
        if not path.exists():
            raise FileNotFoundError(
                f'{self.title}: no {path}. Get {self.file} from the folder '
                "'data' of github.com/yandex-research/heterophilous-graphs, "
                "and put it into a folder 'heterophilous' beside VGCN_DATA."
            )
        return path


class Texas(Heterophilous):
    title, file = 'Texas', 'texas.npz'


class Chameleon(Heterophilous):
    r"""Without the nodes that appear several times."""

    title, file = 'Chameleon', 'chameleon_filtered.npz'


DATASETS: dict[str, Dataset] = {
    each.title: each()
    for each in (
        CiteSeer,
        Cora,
        Polblogs,
        PubMed,
        ProGNNCiteseer,
        Texas,
        Chameleon,
    )
}
