from torch_geometric.data import Data
from torch_geometric.transforms import NormalizeFeatures

from data_sets.base import Dataset
from torch_geometric_vgcn.datasets import prognn
from torch_geometric_vgcn.transforms import StratifiedSplit


class ProGNNCiteseer(Dataset):
    r"""The largest component of Citeseer with the split and the attacked
    graphs of the Pro-GNN paper.
    """

    title = 'Pro-GNN Citeseer'

    def load(self) -> Data:
        return NormalizeFeatures()(prognn('citeseer')[0])

    def attacked(self, attack: str, rate: float) -> Data:
        data = NormalizeFeatures()(prognn('citeseer', attack, rate)[0])
        del data.added_pairs, data.removed_pairs  # which no system may see
        return data

    def random_split(self, data: Data, seed: int) -> Data:
        r"""10 % training, 10 % validation, 80 % test nodes."""
        return StratifiedSplit(0.1, 0.1, seed=seed)(data)
