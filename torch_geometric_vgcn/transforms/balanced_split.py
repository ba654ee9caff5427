from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from torch_geometric_vgcn.transforms.splits import (
    rank_in_class,
    set_masks,
    shuffled_labels,
)
from torch_geometric_vgcn.utils import check_count, check_seed


class BalancedSplit(BaseTransform):
    r"""Splits the nodes at random, with equally many training nodes of each
    class, like :class:`~torch_geometric.transforms.RandomNodeSplit` with
    :obj:`split="random"`.

    Unlike that one it has a seed of its own, leaves nodes without a label
    (below zero) out, and refuses a class of too few nodes instead of taking
    fewer.

    Args:
        num_train_per_class (int, optional): The number of training nodes of
            each class. (default: :obj:`20`)
        num_val (int, optional): The number of validation nodes.
            (default: :obj:`500`)
        num_test (int, optional): The number of test nodes.
            (default: :obj:`1000`)
        seed (int, optional): The seed of the choice. (default: :obj:`0`)
    """

    def __init__(
        self,
        num_train_per_class: int = 20,
        num_val: int = 500,
        num_test: int = 1000,
        seed: int = 0,
    ) -> None:
        self.num_train_per_class = check_count(
            num_train_per_class, 'num_train_per_class', least=1
        )
        self.num_val = check_count(num_val, 'num_val')
        self.num_test = check_count(num_test, 'num_test')
        self.seed = check_seed(seed)

    def forward(self, data: Data) -> Data:
        node, y = shuffled_labels(data, self.seed)
        size = y.bincount()
        for label, count in enumerate(size.tolist()):
            if count < self.num_train_per_class:
                raise ValueError(
                    "'num_train_per_class' must be at most the size of each "
                    f'class, got {self.num_train_per_class}, but class '
                    f'{label} has {count} nodes'
                )
        train = rank_in_class(y) < self.num_train_per_class
        rest = node[~train]
        if self.num_val + self.num_test > rest.numel():
            raise ValueError(
                "'num_val' and 'num_test' must be at most the "
                f'{rest.numel()} labelled nodes that are left, got '
                f'{self.num_val} + {self.num_test}'
            )
        return set_masks(
            data,
            train=node[train],
            val=rest[: self.num_val],
            test=rest[self.num_val : self.num_val + self.num_test],
        )

    def __repr__(self) -> str:
        return (
            f'{type(self).__name__}({self.num_train_per_class}, '
            f'{self.num_val}, {self.num_test}, seed={self.seed})'
        )
