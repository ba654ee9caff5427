from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from torch_geometric_vgcn.nearest.cells import near_cells
from torch_geometric_vgcn.nearest.exact import ExactSearch
from torch_geometric_vgcn.nearest.metric import Metric, check_search
from torch_geometric_vgcn.utils import SIZE, Interval, checked

#: From how many rows on neighbours needn't be exact.
MANY = 50_000


def search_for(num_rows: int) -> Callable[[Tensor, int, Metric], Tensor]:
    r"""The search for so many scaled, dense rows: exact up to 50,000 of them,
    above that :class:`ApproximateSearch` where :obj:`pynndescent` is
    installed, which finds more in less time than cells.
    """
    if num_rows <= MANY:
        return ExactSearch()
    there = find_spec('pynndescent') is not None
    return ApproximateSearch() if there else near_cells


class ApproximateSearch:
    r"""Finds most of the nearest neighbours by neighbour descent (`"Efficient
    K-Nearest Neighbor Graph Construction for Generic Similarity Measures"
    <https://doi.org/10.1145/1963405.1963487>`_), without comparing all pairs.
    Needs the package :obj:`pynndescent`.

    The first call in a process compiles for about 40 seconds. With two threads
    it was then faster than :class:`ExactSearch` from about 10,000 nodes with
    64 to 256 dense features on, and found more than 0.99 of the 20 nearest;
    on the 20,000 sparse rows of PubMed it wasn't faster and found 0.98. It
    runs in one thread, as only then the same seed always gives the same
    neighbours.

    Args:
        seed (int, optional): The seed of the search. (default: :obj:`0`)
        num_trees (int, optional): The number of random trees to start from.
            (default: chosen by :obj:`pynndescent`)
    """

    @checked(seed=Interval(int, 0, 2**32 - 1), num_trees=SIZE)
    def __init__(self, seed: int = 0, num_trees: int | None = None) -> None:
        self.seed = seed
        self.num_trees = num_trees

    def __call__(self, x: Tensor, k: int, metric: Metric) -> Tensor:
        r"""The indices :obj:`[N, k]` of each node's neighbours, ascending.

        Args:
            x (Tensor): Features :obj:`[N, F]`, dense or sparse.
            k (int): The number of neighbours, below :obj:`N`.
            metric (Metric): What makes nodes near to each other.
        """
        check_search(x, k, metric)
        try:
            from pynndescent import NNDescent
        except ImportError as error:
            raise ImportError(
                "'ApproximateSearch' needs the package pynndescent: "
                "pip install 'torch_geometric_vgcn[knn]', or use "
                "'ExactSearch'"
            ) from error
        with _one_thread():
            index = NNDescent(
                _to_numpy(x),
                # One more, as a node is its own neighbour:
                n_neighbors=k + 1,
                n_trees=self.num_trees,
                random_state=self.seed,
                n_jobs=1,
                **metric.pynndescent(),
            )
            neighbor = torch.from_numpy(index.neighbor_graph[0]).long()
        if bool((neighbor < 0).any()):
            raise RuntimeError(
                f"'ApproximateSearch' found less than k={k} neighbours of "
                "some nodes, use 'ExactSearch' here"
            )
        # Of many equal nodes, a node needn't have found itself.
        own = neighbor == torch.arange(x.size(0)).view(-1, 1)
        own[:, -1] |= ~own.any(dim=-1)
        return neighbor[~own].view(-1, k).sort().values.to(x.device)

    def __repr__(self) -> str:
        return f'{type(self).__name__}(seed={self.seed})'


@contextmanager
def _one_thread() -> Iterator[None]:
    r"""With several threads, the same seed doesn't always give the same
    neighbours.
    """
    import numba

    count = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(count)


def _to_numpy(x: Tensor) -> np.ndarray | csr_matrix:
    x = x.detach().cpu().float()
    if x.layout == torch.strided:
        return x.numpy()
    x = x.to_sparse_csr()
    parts = (x.values(), x.col_indices(), x.crow_indices())
    return csr_matrix(tuple(part.numpy() for part in parts), x.shape)
