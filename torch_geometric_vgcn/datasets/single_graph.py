from collections.abc import Callable

from torch_geometric.data import Data, InMemoryDataset

from torch_geometric_vgcn.utils import check_callable


class SingleGraph(InMemoryDataset):
    r"""A PyG data set of one graph that is held in memory.

    Args:
        data (torch_geometric.data.Data): The graph.
        transform (callable, optional): A PyG transform, applied at each
            access. (default: :obj:`None`)
    """

    def __init__(self, data: Data, transform: Callable | None = None) -> None:
        check_callable(transform, 'transform')
        super().__init__(None, transform)
        self.data, self.slices = self.collate([data])
