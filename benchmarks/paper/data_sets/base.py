from abc import ABC, abstractmethod
from typing import ClassVar

from torch_geometric.data import Data


class Dataset(ABC):
    r"""One panel of the figures."""

    #: The name in tables and figures.
    title: ClassVar[str]
    #: Whether nodes have features, for the systems that need them.
    has_features: ClassVar[bool] = True

    @abstractmethod
    def load(self) -> Data:
        r"""The true graph, if there is one, with dense features. If there is
        a public split, its masks are included.
        """

    def attacked(self, attack: str, rate: float) -> Data:
        r"""A published attacked graph of the true graph, with the masks of
        the public split.
        """
        raise ValueError(
            f'{self.title} has no published graph of the attack {attack!r}'
        )

    @abstractmethod
    def random_split(self, data: Data, seed: int) -> Data:
        r"""The data with masks of a random split."""
