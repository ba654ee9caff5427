r"""Deprecated: graphs on disk are in :mod:`torch_geometric_vgcn.scale`."""

from typing import Any

from torch_geometric_vgcn.utils.deprecated import former_names

SCALE = 'torch_geometric_vgcn.scale'
_former = former_names(
    __name__,
    {
        'partition_graph': (SCALE, 'write_graph'),
        'PartitionedGraph': (SCALE, 'StoredGraph'),
    },
    stacklevel=3,
)


def __getattr__(name: str) -> Any:
    if name == 'PartitionedLearner':
        raise ImportError(
            f"'PartitionedLearner' is gone: use VariationalGraphLearner(conv, "
            f'graph.prior(), ShardedPosterior()) with {SCALE}.ShardedPosterior'
        )
    return _former(name)
