import os
from copy import copy
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.utils import remove_self_loops, to_undirected

from data_sets.base import Dataset


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
