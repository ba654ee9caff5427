from collections.abc import Callable
from typing import Any

import torch
from torch_geometric.data import Data

from torch_geometric_vgcn.datasets.single_graph import SingleGraph
from torch_geometric_vgcn.transforms import StratifiedSplit
from torch_geometric_vgcn.utils import (
    check_callable,
    check_flag,
    check_kind,
)

# scikit-learn's loader, and how many nodes are for training and validation.
SETS = {
    'Wine': ('load_wine', 10, 20),
    'BreastCancer': ('load_breast_cancer', 10, 20),
    'Digits': ('load_digits', 50, 100),
}


def uci(
    name: str,
    transform: Callable | None = None,
    seed: int = 0,
    standardize: bool = True,
) -> SingleGraph:
    r"""Data without a graph that comes with scikit-learn, with the numbers of
    labels of the `"Learning Discrete Structures for Graph Neural Networks"
    <https://arxiv.org/abs/1903.11960>`_ paper.
    :class:`~torch_geometric_vgcn.transforms.KNNGraph` adds a graph.

    ============ ===== ======== ======= ========== ========== ====
    name         nodes features classes training   validation test
    ============ ===== ======== ======= ========== ========== ====
    Wine         178   13       3       10         20         148
    BreastCancer 569   30       2       10         20         539
    Digits       1,797 64       10      50         100        1,647
    ============ ===== ======== ======= ========== ========== ====

    The paper has 158 test nodes for Wine, but 10 + 20 + 158 are more than
    there are; here it is all the rest.

    Args:
        name (str): :obj:`"Wine"`, :obj:`"BreastCancer"` or :obj:`"Digits"`.
        transform (callable, optional): A PyG transform.
            (default: :obj:`None`)
        seed (int, optional): The seed of the split, which represents each
            class as it is in the whole. (default: :obj:`0`)
        standardize (bool, optional): Whether to give the features mean zero
            and variance one. The pixels of the digits are better neighbours
            as they are: the background is no measurement.
            (default: :obj:`True`)
    """
    check_flag(standardize, 'standardize')
    check_kind(name, str, 'name')
    if name not in SETS:
        raise ValueError(f"'name' must be one of {tuple(SETS)}, got '{name}'")
    check_callable(transform, 'transform')
    loader, num_train, num_val = SETS[name]
    bunch = getattr(sklearn_datasets(), loader)()
    x = torch.from_numpy(bunch.data)
    if standardize:
        std = x.std(dim=0, correction=0)
        std[std == 0] = 1  # some pixels of the digits are always white
        x = (x - x.mean(dim=0)) / std
    data = Data(x=x.float(), y=torch.from_numpy(bunch.target).long())
    data = StratifiedSplit(num_train, num_val, seed=seed)(data)
    return SingleGraph(data, transform)


def sklearn_datasets() -> Any:
    r"""The module :obj:`sklearn.datasets`, which is optional."""
    try:
        import sklearn.datasets
    except ImportError as error:
        raise ImportError(
            'this data set comes with scikit-learn: pip install '
            "'torch_geometric_vgcn[data]'"
        ) from error
    return sklearn.datasets
