from collections.abc import Callable
from reprlib import repr as short

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn.nearest import (
    Cosine,
    ExactSearch,
    Metric,
    Minkowski,
)
from torch_geometric_vgcn.utils import (
    check_callable,
    check_count,
    check_features,
    check_flag,
    check_kind,
    count_nodes,
)


class KNNGraph(BaseTransform):
    r"""Connects each node with the :math:`k` nodes of the nearest features,
    without any compiled extension. Replaces :obj:`data.edge_index`.

    A neighbour relation seen from one side counts for both (the union), so a
    node has at least :math:`k` neighbours; with :obj:`mutual`, only what both
    sides see counts, and a node may have none. Of equally near nodes, those of
    the lowest index are taken. In a batch, examples aren't connected.

    .. code-block:: python

        KNNGraph(k=20)  # by cosine
        KNNGraph(k=10, metric=Minkowski(p=1), attr='pos')
        KNNGraph(k=20, search=ApproximateSearch())  # many nodes

    Args:
        k (int, optional): The number of neighbours. (default: :obj:`20`)
        cosine (bool, optional): Whether to use the cosine similarity instead
            of the Euclidean distance. (default: :obj:`True`)
        metric (Metric, optional): What makes nodes near to each other,
            instead of :obj:`cosine`:
            :class:`~torch_geometric_vgcn.nearest.Cosine` or
            :class:`~torch_geometric_vgcn.nearest.Minkowski`.
            (default: :obj:`None`)
        mutual (bool, optional): Whether to connect only nodes that are among
            each other's nearest. (default: :obj:`False`)
        attr (str, optional): The name of the features, dense or sparse.
            (default: :obj:`"x"`)
        search (callable, optional): How to find the neighbours, as
            :obj:`search(x, k, metric) -> [N, k]`:
            :class:`~torch_geometric_vgcn.nearest.ExactSearch` or
            :class:`~torch_geometric_vgcn.nearest.ApproximateSearch`.
            (default: :obj:`ExactSearch()`)
    """

    def __init__(
        self,
        k: int = 20,
        cosine: bool = True,
        *,
        metric: Metric | None = None,
        mutual: bool = False,
        attr: str = 'x',
        search: Callable[[Tensor, int, Metric], Tensor] | None = None,
    ) -> None:
        if metric is None:
            metric = Cosine() if check_flag(cosine, 'cosine') else Minkowski()
        if not isinstance(metric, Metric):
            raise TypeError(
                "'metric' must be a Metric such as Cosine() or Minkowski(), "
                f'got {metric!r}'
            )
        check_kind(attr, str, 'attr')
        check_callable(search, 'search')
        self.k = check_count(k, 'k', least=1)
        self.metric = metric
        self.mutual = check_flag(mutual, 'mutual')
        self.attr = attr
        self.search = ExactSearch() if search is None else search

    def forward(self, data: Data) -> Data:
        x, batch = self._features(data), data.get('batch')
        num_nodes = x.size(0)
        if batch is None:
            neighbor = self._found(x)
        else:
            neighbor = self._within_examples(x, batch)
        node = torch.arange(num_nodes, device=x.device)
        node = node.repeat_interleave(self.k)
        edge_index = torch.stack([neighbor.flatten(), node])
        if self.mutual:
            sides = torch.ones_like(node)
            edge_index, sides = to_undirected(edge_index, sides, num_nodes)
            data.edge_index = edge_index[:, sides == 2]
        else:
            data.edge_index = to_undirected(edge_index, num_nodes=num_nodes)
        # What the old edges carried doesn't fit the new ones:
        data.edge_attr = data.edge_weight = None
        return data

    def _features(self, data: Data) -> Tensor:
        num_nodes = count_nodes(data)
        name, x = f'data.{self.attr}', data.get(self.attr)
        if x is None:
            raise ValueError(
                f"'{name}' is missing, expected the features to compare; the "
                f'data has {", ".join(sorted(data.keys()))}'
            )
        check_features(x, num_nodes, name)
        if x.dim() != 2 or x.size(1) == 0 or x.is_complex():
            raise ValueError(
                f"'{name}' must be a real matrix of shape [N, F], "
                f'got {x.dtype} of shape {list(x.shape)}'
            )
        size, where = num_nodes, 'nodes'
        batch = data.get('batch')
        if batch is not None:
            if (
                not isinstance(batch, Tensor)
                or batch.dtype != torch.int64
                or list(batch.shape) != [num_nodes]
            ):
                raise ValueError(
                    "'data.batch' must hold the example of each of the "
                    f'{num_nodes} nodes as int64, got {short(batch)}'
                )
            size = int(batch.unique(return_counts=True)[1].min())
            where = "nodes of each example of 'data.batch'"
        if self.k >= size:
            raise ValueError(
                f"'k' must be below the number of {where} ({size}), "
                f'got {self.k}'
            )
        return x

    def _found(self, x: Tensor) -> Tensor:
        neighbor = self.search(x, self.k, self.metric)
        shape = [x.size(0), self.k]
        if (
            not isinstance(neighbor, Tensor)
            or neighbor.dtype != torch.int64
            or list(neighbor.shape) != shape
            or int(neighbor.min()) < 0
            or int(neighbor.max()) >= x.size(0)
        ):
            raise ValueError(
                f"'search' must return node ids as int64 of shape {shape}, "
                f'in [0, {x.size(0) - 1}], got {short(neighbor)}'
            )
        return neighbor

    def _within_examples(self, x: Tensor, batch: Tensor) -> Tensor:
        x = x if x.layout == torch.strided else x.to_sparse_coo()
        sizes = batch.unique(return_counts=True)[1].tolist()
        neighbor = batch.new_empty(x.size(0), self.k)
        for node in batch.argsort(stable=True).split(sizes):
            example = x.index_select(0, node)
            neighbor[node] = node[self._found(example)]
        return neighbor

    def __repr__(self) -> str:
        return f'{type(self).__name__}(k={self.k}, metric={self.metric})'
