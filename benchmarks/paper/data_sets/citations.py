from torch_geometric.data import Data
from torch_geometric.transforms import NormalizeFeatures

from data_sets.base import Dataset
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.transforms import BalancedSplit


class Citations(Dataset):
    r"""Papers with citations as edges and bags of words as features."""

    def load(self) -> Data:
        return NormalizeFeatures()(planetoid(self.title)[0])

    def random_split(self, data: Data, seed: int) -> Data:
        r"""A split of the public sizes, with 20 training nodes per class."""
        return BalancedSplit(seed=seed)(data)


class CiteSeer(Citations):
    title = 'CiteSeer'


class Cora(Citations):
    title = 'Cora'


class PubMed(Citations):
    title = 'PubMed'
