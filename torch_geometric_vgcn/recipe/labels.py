r"""Which labels are for training, and which are held out."""

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.utils import check_tensor, selected_nodes

#: With so many labels, one part of them is enough to compare members.
MANY = 1000


def labels_of(
    data: Data, num_nodes: int, quantity: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    r"""The labels (:obj:`-1` where unknown), the nodes to train with, and
    those to validate with, which may be none. Labels of other nodes aren't
    looked at. They may be quantities, NaN where unknown, if :obj:`quantity`
    says so.
    """
    if data.get('y') is None:
        raise ValueError(f"'data.y' is missing, expected labels, got {data}")
    check_tensor(data.y, f'[{num_nodes}]', 'data.y')
    y = data.y.detach()
    if list(y.shape) not in ([num_nodes], [num_nodes, 1]):
        raise ValueError(
            f"'data.y' must have shape [{num_nodes}], one class id for each "
            f'node, got {list(y.shape)}'
        )
    numbers = y.is_floating_point()
    if y.is_complex() or y.dtype == torch.bool or (numbers and not quantity):
        raise TypeError(
            "'data.y' must hold int64 class ids, -1 where the class is "
            f'unknown, got {y.dtype}: for whole numbers, y.long()'
        )
    y = y.reshape(num_nodes)
    y = y if numbers else y.long()
    train, val = (_selected(data, name, y) for name in ('train', 'val'))
    if train is None:
        free = _known(y)
        for nodes in (val, _selected(data, 'test', y, labelled=False)):
            if nodes is not None:
                free[nodes] = False
        train = free.nonzero().view(-1)
    if train.numel() == 0:
        raise ValueError(
            "'data.y' must hold labels to train with, got none that is known"
        )
    if val is None:
        val = train.new_empty(0)
    both = torch.cat([train, val])
    twice = both.numel() - both.unique().numel()
    if twice > 0:
        raise ValueError(
            "'data.val_mask' must select other nodes than 'data.train_mask', "
            f'got {twice} in both'
        )
    known = torch.full_like(y, float('nan') if numbers else -1)
    known[both] = y[both]
    if not numbers:
        _check_classes(known, train)
    return known, train, val


def _check_classes(y: Tensor, train: Tensor) -> None:
    if y[train].unique().numel() < 2:
        raise ValueError(
            "'data.y' must hold labels of at least two classes to train "
            f'with, got only class {int(y[train[0]])}'
        )
    if int(y.max()) >= y.numel():
        raise ValueError(
            "'data.y' must hold class ids from 0 on, fewer than the "
            f'{y.numel()} nodes, got {int(y.max())}: number the classes by '
            'y.unique(return_inverse=True)'
        )


def _selected(
    data: Data, part: str, y: Tensor, labelled: bool = True
) -> Tensor | None:
    r"""The nodes of a mask, if there is one, which must have labels."""
    name, size = f'data.{part}_mask', y.numel()
    mask = data.get(f'{part}_mask')
    if mask is None:
        return None
    if isinstance(mask, Tensor) and mask.dim() == 2 and mask.size(0) == size:
        raise ValueError(
            f"'{name}' must be one mask of shape [{size}], got "
            f'{mask.size(1)} in {list(mask.shape)}: choose one column, '
            f'{name}[:, 0]'
        )
    nodes = selected_nodes(mask, size, name, allow_none=not labelled)
    if labelled and not bool(_known(y[nodes]).all()):
        raise ValueError(
            f"'{name}' must select nodes with labels of at least 0 in "
            f"'data.y', got {y[nodes].min().item()}"
        )
    return nodes


def _known(y: Tensor) -> Tensor:
    return y.isfinite() if y.is_floating_point() else y >= 0


def class_names(data: Data, num_classes: int) -> list[str]:
    r"""What the data call their classes, or the numbers."""
    found = data.get('class_names')
    if isinstance(found, (list, tuple)) and len(found) == num_classes:
        return [str(name) for name in found]
    return [str(number) for number in range(num_classes)]


def folds_of(
    y: Tensor, nodes: Tensor, num_folds: int, generator: torch.Generator
) -> list[tuple[Tensor, Tensor]]:
    r"""Splits labelled nodes into those to train with and those to hold out:
    each part in turn, or one if there are many labels. Classes are spread
    evenly; a class's only label is always there to train with. There is no
    split if no class has a second one.
    """
    if y.is_floating_point():
        y = torch.zeros_like(y, dtype=torch.long)
    part = torch.full_like(nodes, -1)
    start = 0
    largest = int(y[nodes].bincount().max())
    num_folds = min(num_folds, largest)
    for c in y[nodes].unique():
        own = (y[nodes] == c).nonzero().view(-1)
        if own.numel() < 2:
            continue
        order = torch.randperm(own.numel(), generator=generator)
        place = torch.arange(own.numel()) + start
        part[own[order.to(own.device)]] = (place % num_folds).to(part)
        start += own.numel()
    splits = [
        (nodes[part != number], nodes[part == number])
        for number in range(num_folds)
        if bool((part == number).any())
    ]
    return splits[:1] if nodes.numel() >= MANY else splits
