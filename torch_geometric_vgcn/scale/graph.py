import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from torch_geometric_vgcn.scale.prior import StoredPrior
from torch_geometric_vgcn.utils import check_path, find

NAME = 'graph.json'


class StoredGraph:
    r"""A graph on disk, written by :func:`write_graph`: plain :obj:`.npy`
    files, of which only the rows of a batch are read.

    The nodes are numbered cluster by cluster, :obj:`node.npy` has their
    former ids. Each candidate pair is in the row of one of its two nodes, so
    the rows of a cluster are successive, and so are their logits.

    Args:
        folder (str or Path): The folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = check_path(folder, 'folder')
        path = self.folder / NAME
        try:
            about = json.loads(path.read_text())
            self.num_nodes = int(about['num_nodes'])
            self.num_features = int(about['num_features'])
            self.num_pairs = int(about['num_pairs'])
            self.num_train = int(about['num_train'])
            self.highest_class = int(about['highest_class'])
            self.background = float(about['background'])
            self.digest = str(about['digest'])
        except FileNotFoundError as error:
            raise ValueError(
                f"'folder' must hold a graph written by write_graph, got "
                f'{folder} without {NAME}'
            ) from error
        except (TypeError, ValueError, KeyError) as error:
            raise self._damaged(path, error) from error
        self.border = torch.from_numpy(np.array(self._map('border')))
        if int(self.border[-1]) != self.num_nodes:
            raise self._damaged(path, 'its numbers do not fit together')

    @property
    def num_clusters(self) -> int:
        return self.border.numel() - 1

    def prior(self) -> StoredPrior:
        r"""The prior of the whole graph, which holds no pair itself."""
        return StoredPrior(self)

    def nodes_of(self, clusters: Tensor) -> Tensor:
        r"""The nodes of some clusters."""
        return torch.cat(
            [torch.arange(*self.border[c : c + 2]) for c in clusters.tolist()]
        )

    def rows(self, name: str, node_id: Tensor) -> Tensor:
        r"""The rows of some nodes in the file :obj:`name`."""
        file = self._map(name)
        parts = [file[part] for part in _ranges(node_id)]
        return torch.from_numpy(np.concatenate([file[:0], *parts]))

    def among(self, node_id: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        r"""The pairs among some nodes: where their logits stand among those
        of the graph, the pairs as places in :obj:`node_id`, of shape
        :obj:`[2, P]`, and their prior logits.
        """
        pointer, parts = self._map('pointer'), _ranges(node_id)
        slots = [
            torch.arange(pointer[p.start], pointer[p.stop]) for p in parts
        ]
        count = [np.diff(pointer[p.start : p.stop + 1]) for p in parts]
        position = torch.cat([torch.empty(0).long(), *slots])
        length = torch.from_numpy(np.concatenate([pointer[:0], *count]))
        row = torch.arange(node_id.numel()).repeat_interleave(length)
        known, order = node_id.sort()
        place, found = find(known, self.rows('other', position))
        index = torch.stack([row, order[place]])[:, found]
        logit = self.rows('logit', position)
        return position[found], index, logit[found]

    def pairs_at(self, position: Tensor) -> Tensor:
        r"""The pairs whose logits stand at some positions, by the former ids
        of their nodes, of shape :obj:`[2, P]`.
        """
        pointer, node = self._map('pointer'), self._map('node')
        row = np.searchsorted(pointer, position.numpy(), side='right') - 1
        col = self.rows('other', position).numpy()
        index = torch.from_numpy(np.stack([node[row], node[col]]))
        return index.sort(dim=0).values

    def holds(self, path: Path) -> bool:
        r"""Whether a path is that of a file of the graph."""
        path = path.resolve()
        return path in {own.resolve() for own in files(self.folder)}

    def _map(self, name: str) -> np.ndarray:
        # Anew each time: pages that were read don't stay in memory.
        path = self.folder / f'{name}.npy'
        try:
            return np.load(path, mmap_mode='r', allow_pickle=False)
        except Exception as error:  # whatever a damaged file may cause
            raise self._damaged(path, error) from error

    def _damaged(self, path: Path, why: object) -> ValueError:
        return ValueError(
            f"'folder' holds {path}, which can't be read ({why}): write the "
            'graph again with write_graph'
        )

    def __repr__(self) -> str:
        return (
            f'{type(self).__name__}(num_nodes={self.num_nodes}, '
            f'num_pairs={self.num_pairs}, num_clusters={self.num_clusters})'
        )


def files(folder: Path) -> list[Path]:
    r"""The files that a graph may have."""
    names = (
        'x', 'y', 'train_mask', 'val_mask', 'node', 'border', 'pointer',
        'other', 'logit',
    )  # fmt: skip
    return [folder / NAME, *(folder / f'{name}.npy' for name in names)]


def _ranges(index: Tensor) -> list[slice]:
    r"""Ranges of successive numbers that make up some numbers."""
    if index.numel() == 0:
        return []
    cut = (index.diff() != 1).nonzero().view(-1) + 1
    start = index[torch.cat([cut.new_zeros(1), cut])].tolist()
    stop = index[torch.cat([cut - 1, cut.new_tensor([-1])])].tolist()
    return [slice(a, b + 1) for a, b in zip(start, stop, strict=True)]
