import numpy as np
from table import Table

from sources.base import Source
from torch_geometric_vgcn.datasets import uci
from torch_geometric_vgcn.datasets.uci import SETS


class LDS(Source):
    r"""A table that comes with scikit-learn, with the training and validation
    labels of the LDS paper, which are all given.
    """

    shares = (None,)
    units = True

    def load(self) -> Table:
        data = uci(self.title, standardize=False)[0]
        return Table(data.x.numpy(), data.y.numpy(), self.units)

    def known(
        self, y: np.ndarray, share: float | None, seed: int
    ) -> np.ndarray:
        data = uci(self.title, seed=seed)[0]
        return (data.train_mask | data.val_mask).numpy()

    def amount(self, share: float | None) -> str:
        _, num_train, num_val = SETS[self.title]
        return f'{num_train + num_val} labels'
