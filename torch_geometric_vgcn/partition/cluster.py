from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


class Blocks(NamedTuple):
    r"""Pairs that a cluster owns, between its own nodes and those of some
    clusters.
    """

    row: Tensor  # which of its nodes
    col: Tensor  # which node of the other cluster
    other: Tensor  # the other cluster, which may be itself
    logit: Tensor  # of the prior
    place: Tensor  # where the pairs stand among all that the cluster owns


class Cluster:
    r"""One cluster of a partitioned graph on disk: plain :obj:`.npy` files,
    memory-mapped.

    Args:
        folder (Path): The folder of the cluster.
        sparse (bool): Whether its features are in compressed rows.
        width (int): The number of features.
    """

    def __init__(self, folder: Path, sparse: bool, width: int) -> None:
        self.folder = folder
        self.sparse = sparse
        self.width = width

    def _map(self, name: str) -> np.ndarray:
        path = self.folder / f'{name}.npy'
        try:
            return np.load(path, mmap_mode='r', allow_pickle=False)
        except Exception as error:  # whatever a damaged file may cause
            raise ValueError(
                f"'folder' holds {path}, which can't be read ({error}): write "
                'the graph again with partition_graph'
            ) from error

    def _read(self, name: str) -> Tensor:
        # A copy, as PyTorch knows no arrays that can't be written to:
        return torch.from_numpy(np.array(self._map(name)))

    @property
    def node(self) -> Tensor:
        r"""The ids of the nodes in the whole graph, ascending."""
        return self._read('node')

    @property
    def col_node(self) -> Tensor:
        r"""The id in the whole graph of the other node of each pair that the
        cluster owns.
        """
        return self._read('col_node')

    @property
    def x(self) -> Tensor:
        r"""The features of the nodes, dense or in compressed rows."""
        if not self.sparse:
            return self._read('x')
        pointer = self._read('x_indptr')
        return torch.sparse_csr_tensor(
            pointer,
            self._read('x_indices').long(),
            self._read('x_data'),
            (pointer.numel() - 1, self.width),
            check_invariants=False,
        )

    @property
    def y(self) -> Tensor:
        return self._read('y')

    @property
    def train(self) -> Tensor:
        return self._read('train')

    @property
    def val(self) -> Tensor:
        return self._read('val')

    def blocks(self, clusters: list[int] | None = None) -> Blocks:
        r"""The pairs with the nodes of some clusters, or all pairs. Only
        these are read.
        """
        others, pointer = self._map('other'), self._map('pointer')
        which = np.arange(len(others))
        if clusters is not None:
            which = np.flatnonzero(np.isin(others, clusters))
        parts = [slice(pointer[i], pointer[i + 1]) for i in which]
        row, col, logit = (
            np.concatenate([array[:0], *(array[part] for part in parts)])
            for array in map(self._map, ('row', 'col', 'logit'))
        )
        count = np.array([part.stop - part.start for part in parts], int)
        place = [np.arange(part.start, part.stop) for part in parts]
        return Blocks(
            torch.from_numpy(row).long(),
            torch.from_numpy(col).long(),
            torch.from_numpy(np.repeat(others[which], count)).long(),
            torch.from_numpy(logit),
            torch.from_numpy(np.concatenate([np.arange(0), *place])),
        )
