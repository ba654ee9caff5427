import copy
import pickle
from pathlib import Path
from typing import Any

import torch
import torch_geometric.loader
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.index import index2ptr, ptr2index
from torch_geometric.loader.cluster import Partition
from torch_geometric.utils import remove_self_loops, to_undirected

from torch_geometric_vgcn.utils import (
    FLAG,
    Instance,
    check_count,
    check_edge_index,
    checked,
    count_nodes,
)
from torch_geometric_vgcn.utils.constraints import File

# As PyG does for its own classes; otherwise it would load any pickle:
torch.serialization.add_safe_globals([Partition])


class ClusterData(torch_geometric.loader.ClusterData):
    r"""PyG's :class:`~torch_geometric.loader.ClusterData`, which partitions a
    graph by METIS as in the `"Cluster-GCN: An Efficient Algorithm for Training
    Deep and Large Graph Convolutional Networks"
    <https://arxiv.org/abs/1905.07953>`_ paper, with four differences:

    * where neither torch-sparse nor pyg-lib has METIS, it is that of the
      package :obj:`pymetis`;
    * the graph may be directed, as a kNN graph is: METIS sees it without
      directions;
    * batches know which nodes they hold, :obj:`batch.n_id`;
    * a partition that was saved is only used for the graph that it was made
      from, and its file can't run code.

    Use it with :class:`torch_geometric.loader.ClusterLoader`.

    Args:
        data (torch_geometric.data.Data): The graph.
        num_parts (int): The number of clusters.
        **kwargs (optional): Further arguments of PyG's class, such as
            :obj:`save_dir`.
    """

    partition: Partition
    data: Data

    def __init__(self, data: Data, num_parts: int, **kwargs: Any) -> None:
        num_nodes = count_nodes(data)
        # METIS reads and writes wherever the ids say:
        name = 'data.edge_index'
        check_edge_index(data.get('edge_index'), num_nodes, name, loops=True)
        edge_index = data.edge_index.long()
        if bool((edge_index[0] == edge_index[1]).all()):
            raise ValueError(
                f"'{name}' must connect different nodes, got nothing but "
                'self-loops'
            )
        num_parts = check_count(num_parts, 'num_parts')
        if not 1 <= num_parts <= num_nodes // 2:
            raise ValueError(
                f"'num_parts' must lie in [1, {num_nodes // 2}] for "
                f'{num_nodes} nodes, got {num_parts}'
            )
        path = _cache(num_parts, **kwargs)
        for key, value in data.items():
            if isinstance(value, Tensor) and value.layout not in (
                torch.strided,
                torch.sparse_coo,
            ):
                raise TypeError(
                    f"'data.{key}' must be dense or sparse COO, which PyG can "
                    f'cut into batches, got {value.layout}'
                )
        data = copy.copy(data)
        data.edge_index = edge_index
        data.n_id = torch.arange(num_nodes, device=edge_index.device)
        if path is not None:
            _check_folder(path.parent)
            if path.exists():
                self.num_parts = num_parts
                self.sparse_format = kwargs.get('sparse_format', 'csr')
                self._check_cache(path, data)
        super().__init__(data, num_parts, **kwargs)
        least = int(self.partition.partptr.diff().min())
        if least < 2:
            raise ValueError(
                f"'num_parts' = {num_parts} leaves a cluster of {least} "
                'nodes, expected at least two in each: lower it'
            )
        ends = self.partition.indptr[self.partition.partptr]
        if int(ends.diff().min()) == 0:
            raise ValueError(
                f"'num_parts' = {num_parts} leaves a cluster whose nodes have "
                "no edges, which PyG's ClusterLoader can't load: lower it or "
                'remove isolated nodes (T.RemoveIsolatedNodes())'
            )

    @property
    def cluster(self) -> Tensor:
        r"""The cluster of each node, of shape :obj:`[N]`."""
        out = torch.empty_like(self.partition.node_perm)
        out[self.partition.node_perm] = ptr2index(self.partition.partptr)
        return out

    def _check_cache(self, path: Path, data: Data) -> None:
        r"""Raises an error if the file isn't the partition of this graph that
        its clusters make.
        """
        found = ''
        try:
            saved = torch.load(path, map_location='cpu', weights_only=True)
            found = f' ({saved.node_perm.numel()} nodes and '
            found += f'{saved.edge_perm.numel()} edges)'
            cluster = saved.node_perm.new_zeros(data.num_nodes)
            cluster[saved.node_perm] = ptr2index(saved.partptr)
            if saved.partptr.numel() == self.num_parts + 1:
                made = self._partition(data.edge_index.cpu(), cluster)
                if all(
                    torch.equal(value, vars(made)[name])
                    if isinstance(value, Tensor)
                    else value == vars(made)[name]
                    for name, value in vars(saved).items()
                ):
                    return
        except (
            AttributeError, EOFError, IndexError, OSError, RuntimeError,
            TypeError, ValueError, pickle.UnpicklingError,
        ):  # fmt: skip
            pass  # whatever a foreign file may cause
        raise ValueError(
            f"'save_dir' holds {path}{found}, which is no partition of this "
            f'graph ({data.num_nodes} nodes and {data.num_edges} edges) into '
            f'{self.num_parts} clusters as {self.sparse_format!r}: remove the '
            'file'
        )

    def _metis(self, edge_index: Tensor, num_nodes: int) -> Tensor:
        edge_index, _ = remove_self_loops(edge_index)
        edge_index = to_undirected(edge_index, num_nodes=num_nodes)
        try:
            return super()._metis(edge_index, num_nodes)
        except ImportError as error:
            try:
                import pymetis
            except ImportError:
                raise ImportError(
                    "'ClusterData' needs METIS, and neither torch-sparse nor "
                    'pyg-lib has it here: pip install pymetis'
                ) from error
        row, col = edge_index.cpu()  # sorted by row
        graph = pymetis.CSRAdjacency(
            index2ptr(row, size=num_nodes).numpy(), col.numpy()
        )
        _, cluster = pymetis.part_graph(
            self.num_parts, graph, recursive=self.recursive
        )
        return torch.tensor(cluster, device=edge_index.device)


@checked(
    save_dir=File(),
    filename=Instance(str),
    recursive=FLAG,
    log=FLAG,
    keep_inter_cluster_edges=FLAG,
)
def _cache(
    num_parts: int,
    save_dir: Path | None = None,
    filename: str | None = None,
    recursive: bool = False,
    log: bool = True,
    keep_inter_cluster_edges: bool = False,
    sparse_format: str = 'csr',
    **kwargs: Any,
) -> Path | None:
    r"""Where PyG saves the partition, from the further arguments of its class,
    which doesn't check them.
    """
    if sparse_format not in ('csr', 'csc'):
        raise ValueError(
            f"'sparse_format' must be 'csr' or 'csc', got {sparse_format!r}"
        )
    if save_dir is None:
        return None
    folder = f'part_{num_parts}{"_recursive" if recursive else ""}'
    return save_dir / folder / (filename or 'metis.pt')


def _check_folder(folder: Path) -> None:
    r"""Makes the folder now, not after all the work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"'save_dir' must be writable: {error.strerror}"
        raise OSError(error.errno, why, str(folder)) from error
