from collections.abc import Callable

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.nearest import Cosine
from torch_geometric_vgcn.transforms.class_attack import ClassAttack
from torch_geometric_vgcn.utils import check_features, count_nodes
from torch_geometric_vgcn.utils.rows import fastest_layout


class SimilarityAttack(ClassAttack):
    r"""Adds edges between the nodes of different classes with the most similar
    features, by the cosine :math:`\mathbf{x}_i^{\top}\mathbf{x}_j /
    \|\mathbf{x}_i\| \|\mathbf{x}_j\|`: the attacker knows of
    :class:`~torch_geometric_vgcn.EvidencePrior`, to which such edges look
    true, and knows all labels.

    Edges gather at nodes that have many similar ones. Nodes without a label
    (below zero) are left alone. The time grows like :math:`N^2 F`, as that of
    :class:`KNNGraph`, the memory like :math:`N`.

    Args:
        add (int or float): The number of edges to add, or their share of the
            number of existing edges, which may be above one.
        seed (int, optional): The seed of the choice among equally similar
            pairs. (default: :obj:`0`)
    """

    def scores(
        self, data: Data, edges: Tensor
    ) -> Callable[[int, int], Tensor]:
        x = data.get('x')
        check_features(x, count_nodes(data), 'data.x')
        if x.dim() != 2 or x.size(1) == 0:
            raise ValueError(
                f"'data.x' must have shape [N, F], got {list(x.shape)}"
            )
        if x.dtype not in (torch.float, torch.double):
            x = x.float()
        return Cosine().scores(fastest_layout(x.detach().cpu())).block
