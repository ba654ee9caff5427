from collections.abc import Callable

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import degree, to_undirected

from torch_geometric_vgcn.transforms.class_attack import ClassAttack
from torch_geometric_vgcn.utils import count_nodes


class NeighborhoodAttack(ClassAttack):
    r"""Adds edges between the nodes of different classes with the most common
    neighbours, by the resource-allocation index of the `"Predicting missing
    links via local information" <https://arxiv.org/abs/0901.0553>`_ paper

    .. math::
        s_{ij} = \sum_{k \in \mathcal{N}(i) \cap \mathcal{N}(j)}
        \frac{1}{d_k}:

    the attacker knows of defences that trust an edge by its neighbourhood,
    and knows all labels.

    Edges gather where classes meet already, around nodes of many edges. Only
    pairs with a common neighbour are connected, and nodes without a label
    (below zero) are left alone. The time grows like :math:`N^2` plus
    :math:`N E`, the memory like :math:`N`.

    Args:
        add (int or float): The number of edges to add, or their share of the
            number of existing edges, which may be above one.
        seed (int, optional): The seed of the choice among equally good pairs.
            (default: :obj:`0`)
    """

    wanted = (
        'pairs of different classes with a common neighbour and without an '
        'edge'
    )

    def scores(
        self, data: Data, edges: Tensor
    ) -> Callable[[int, int], Tensor]:
        num_nodes = count_nodes(data)
        row, col = index = to_undirected(edges, num_nodes=num_nodes)
        share = 1 / degree(row, num_nodes)[row]
        ones = torch.ones_like(share)
        size = (num_nodes, num_nodes)
        adj = torch.sparse_coo_tensor(
            index, ones, size, check_invariants=False
        )

        def block(start: int, stop: int) -> Tensor:
            some = (start <= col) & (col < stop)
            part = share.new_zeros(num_nodes, stop - start)
            part[row[some], col[some] - start] = share[some]
            score = adj @ part
            return score.masked_fill_(score == 0, -torch.inf)

        return block
