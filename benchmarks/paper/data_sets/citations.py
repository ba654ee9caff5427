from torch_geometric.data import Data
from torch_geometric.transforms import NormalizeFeatures

from data_sets.base import Dataset
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.transforms import BalancedSplit


class Citations(Dataset):
    r"""Papers that cite each other, and which words are in them."""

    def load(self) -> Data:
        return NormalizeFeatures()(planetoid(self.title)[0])

    def random_split(self, data: Data, seed: int) -> Data:
        r"""Of the public one's sizes, 20 training nodes of each class."""
        return BalancedSplit(seed=seed)(data)


class CiteSeer(Citations):
    title = 'CiteSeer'


class Cora(Citations):
    title = 'Cora'
