from torch_geometric.data import Data

from data_sets.base import Dataset
from torch_geometric_vgcn.datasets import polblogs
from torch_geometric_vgcn.transforms import StratifiedSplit


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

    def random_split(self, data: Data, seed: int) -> Data:
        r"""10 % training, 10 % validation, 80 % test nodes."""
        return StratifiedSplit(0.1, 0.1, seed=seed)(data)
