import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from torch_geometric_vgcn.transforms.splits import (
    rank_in_class,
    set_masks,
    shuffled_labels,
)
from torch_geometric_vgcn.utils import check_count, check_seed, check_share


class StratifiedSplit(BaseTransform):
    r"""Splits the nodes at random, with each class represented in each part as
    it is in the whole.

    For Polblogs, :obj:`StratifiedSplit(0.1, 0.1)` is the split of the
    literature on robustness (10 % training, 10 % validation, 80 % test), and
    :obj:`StratifiedSplit(122, 275)` has the sizes of the VGCN paper
    (122/275/825).

    Args:
        num_train (int or float): The number of training nodes, or their share
            of the labelled nodes.
        num_val (int or float): The number or share of validation nodes.
        num_test (int or float, optional): The number or share of test nodes.
            (default: all that are left)
        seed (int, optional): The seed of the choice. (default: :obj:`0`)
    """

    def __init__(
        self,
        num_train: int | float,
        num_val: int | float,
        num_test: int | float | None = None,
        seed: int = 0,
    ) -> None:
        self.num_train = _check(num_train, 'num_train', least=1)
        self.num_val = _check(num_val, 'num_val')
        self.num_test = (
            None if num_test is None else _check(num_test, 'num_test')
        )
        self.seed = check_seed(seed)

    def forward(self, data: Data) -> Data:
        node, y = shuffled_labels(data, self.seed)
        total = node.numel()
        train, val = _count(self.num_train, total), _count(self.num_val, total)
        test = (
            total - train - val
            if self.num_test is None
            else _count(self.num_test, total)
        )
        if test < 0 or train + val + test > total:
            raise ValueError(
                "'num_train', 'num_val' and 'num_test' must add up to at most "
                f'the {total} labelled nodes, got {train} + {val} + '
                f'{max(test, 0)}'
            )
        size, rank = y.bincount(), rank_in_class(y)
        low, chosen = torch.zeros_like(size), {}
        for name, count in (('train', train), ('val', val), ('test', test)):
            high = low + _apportion(count, size - low)
            chosen[name] = node[(low[y] <= rank) & (rank < high[y])]
            low = high
        missing = set(y.tolist()) - set(data.y[chosen['train']].tolist())
        if missing:
            raise ValueError(
                f"'num_train' must be large enough for a node of each class, "
                f'got {train}, which has none of class {min(missing)} '
                f'({int(size[min(missing)])} of {total} nodes)'
            )
        return set_masks(data, **chosen)

    def __repr__(self) -> str:
        return (
            f'{type(self).__name__}({self.num_train}, {self.num_val}, '
            f'{self.num_test}, seed={self.seed})'
        )


def _check(value: int | float, name: str, least: int = 0) -> int | float:
    if isinstance(value, (float, np.floating)):
        return check_share(value, name)
    return check_count(value, name, least)


def _count(value: int | float, total: int) -> int:
    return round(value * total) if isinstance(value, float) else value


def _apportion(count: int, size: Tensor) -> Tensor:
    r"""Shares a number out in proportion, with the largest remainders up."""
    if count == 0:
        return torch.zeros_like(size)
    exact, total = count * size, size.sum()
    quota = exact // total
    rest = (exact % total).argsort(descending=True, stable=True)
    quota[rest[: count - int(quota.sum())]] += 1
    return quota
