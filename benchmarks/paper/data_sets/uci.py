from torch_geometric.data import Data

from data_sets.base import Dataset
from torch_geometric_vgcn.datasets import uci
from torch_geometric_vgcn.datasets.uci import SETS
from torch_geometric_vgcn.transforms import StratifiedSplit


class UCI(Dataset):
    r"""Measurements without a graph, standardised."""

    standardize = True

    def load(self) -> Data:
        data = uci(self.title, standardize=self.standardize)[0]
        # There is no public split:
        del data.train_mask, data.val_mask, data.test_mask
        return data

    def random_split(self, data: Data, seed: int) -> Data:
        _, num_train, num_val = SETS[self.title]
        return StratifiedSplit(num_train, num_val, seed=seed)(data)


class Wine(UCI):
    title = 'Wine'


class BreastCancer(UCI):
    title = 'BreastCancer'


class Digits(UCI):
    r"""Pixels, whose brightness is used as it is."""

    title = 'Digits'
    standardize = False
