import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from torch_geometric_vgcn.utils import (
    check_node_mask,
    check_seed,
    count_nodes,
)


class HalfValidation(BaseTransform):
    r"""Moves a random half of the validation nodes to the training set, as in
    the `"Learning Discrete Structures for Graph Neural Networks"
    <https://arxiv.org/abs/1903.11960>`_ paper and in VGCN's.

    Args:
        seed (int, optional): The seed of the choice. (default: :obj:`0`)
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = check_seed(seed)

    def forward(self, data: Data) -> Data:
        num_nodes = count_nodes(data)
        for name in ('val_mask', 'train_mask'):
            check_node_mask(data.get(name), num_nodes, f'data.{name}')
        val = data.val_mask.nonzero().view(-1)
        if val.numel() < 2:
            raise ValueError(
                "'data.val_mask' must select at least two nodes, "
                f'got {val.numel()}'
            )
        generator = torch.Generator().manual_seed(self.seed)
        order = torch.randperm(val.numel(), generator=generator)
        moved = val[order[: val.numel() // 2].to(val.device)]
        data.train_mask = data.train_mask.index_fill(0, moved, True)
        data.val_mask = data.val_mask.index_fill(0, moved, False)
        return data

    def __repr__(self) -> str:
        return f'{type(self).__name__}(seed={self.seed})'
