from pathlib import Path

from torch_geometric_vgcn.partition.cluster import Cluster
from torch_geometric_vgcn.partition.manifest import NAME, Manifest
from torch_geometric_vgcn.utils import check_path
from torch_geometric_vgcn.utils.ranks import Ranks


def folder_of(folder: Path, cluster: int) -> Path:
    return folder / f'cluster-{cluster:06d}'


class PartitionedGraph:
    r"""A graph on disk, written by :func:`partition_graph`, of which each
    process loads only its own clusters.

    Clusters are numbered, and each shard is a range of them. Of :math:`W`
    processes each owns a range of shards.

    Args:
        folder (str or Path): The folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = check_path(folder, 'folder')
        self.manifest = Manifest.read(self.folder)
        self.num_nodes = self.manifest.num_nodes
        self.num_features = self.manifest.num_features
        self.num_shards = self.manifest.num_shards
        self.num_parts = len(self.manifest.sizes)
        self.num_pairs = sum(self.manifest.pairs)

    def cluster(self, c: int) -> Cluster:
        r"""One of the clusters. Nothing is read yet."""
        manifest = self.manifest
        return Cluster(
            folder_of(self.folder, c), manifest.sparse, manifest.num_features
        )

    def holds(self, path: Path) -> bool:
        r"""Whether a path is that of a file of the graph."""
        path = path.resolve()
        folders = {
            folder_of(self.folder, c).resolve() for c in range(self.num_parts)
        }
        manifest = (self.folder / NAME).resolve()
        return path == manifest or bool(folders & {path, *path.parents})

    def clusters_of(self, shard: int) -> range:
        r"""The clusters of a shard."""
        size = self.num_parts // self.num_shards
        return range(shard * size, (shard + 1) * size)

    def shard_of(self, c: int) -> int:
        r"""The shard of a cluster."""
        return c * self.num_shards // self.num_parts

    def shards_of(self, ranks: Ranks) -> range:
        r"""The shards of a process."""
        shards, world = self.num_shards, ranks.world
        if world > shards:
            raise ValueError(
                f'{world} processes need a graph of at least {world} shards, '
                f"got {shards}: partition it again with 'num_shards'"
            )
        start, stop = (
            shards * r // world for r in range(ranks.rank, ranks.rank + 2)
        )
        return range(start, stop)

    def owner_of(self, shard: int, world: int) -> int:
        r"""The process that owns a shard."""
        return ((shard + 1) * world - 1) // self.num_shards

    def pairs_before(self, c: int) -> int:
        r"""Where the pairs of a cluster start among those of its shard."""
        first = self.clusters_of(self.shard_of(c)).start
        return sum(self.manifest.pairs[first:c])

    def __repr__(self) -> str:
        return (
            f'{type(self).__name__}(num_nodes={self.num_nodes}, '
            f'num_pairs={self.num_pairs}, num_parts={self.num_parts}, '
            f'num_shards={self.num_shards})'
        )
