from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform
from torch_geometric.utils import degree, to_undirected

from torch_geometric_vgcn.attacks.amount import check_amount, count_of
from torch_geometric_vgcn.nearest import Cosine
from torch_geometric_vgcn.transforms.perturbation import change_graph, edges_of
from torch_geometric_vgcn.transforms.splits import labels_of
from torch_geometric_vgcn.utils import check_features, check_seed, count_nodes
from torch_geometric_vgcn.utils.rows import fastest_layout


class ClassAttack(BaseTransform, ABC):
    r"""Adds the edges of the highest :meth:`scores` between nodes of
    different classes. Nodes without a label (below zero) are left alone.

    All pairs are looked at, a block of nodes at a time: never
    :math:`N \times N` numbers at once. What was changed is recorded in
    :obj:`data.added_pairs`.

    Args:
        add (int or float): The number of edges to add, or their share of the
            number of existing edges, which may be above one.
        seed (int, optional): The seed of the choice among pairs whose scores
            differ by less than about :math:`10^{-6}`. (default: :obj:`0`)
    """

    #: What the pairs are called in errors.
    wanted = 'pairs of different classes without an edge'

    def __init__(self, add: int | float, seed: int = 0) -> None:
        self.add = check_amount(add, 'add')
        self.seed = check_seed(seed)

    @abstractmethod
    def scores(
        self, data: Data, edges: Tensor
    ) -> Callable[[int, int], Tensor]:
        r"""How much each pair is wanted: a function of :obj:`start` and
        :obj:`stop` that returns the scores of all nodes with the nodes from
        :obj:`start` to :obj:`stop`, of shape :obj:`[N, stop - start]`, with
        :math:`-\infty` for pairs that must not be added.
        """

    def forward(self, data: Data) -> Data:
        edges, y = edges_of(data), labels_of(data)
        add = count_of(self.add, edges.size(1), 'add')
        if y[y >= 0].unique().numel() < 2:
            raise ValueError(
                "'data.y' must hold at least two classes, got one"
            )
        generator = torch.Generator().manual_seed(self.seed)
        scores, num_nodes = self.scores(data, edges), y.numel()
        best, pairs = torch.empty(0), edges[:, :0]
        size = max(128, 2**20 // num_nodes)
        for start in range(0, num_nodes, size):
            stop = min(start + size, num_nodes)
            score = scores(start, stop).cpu().float()
            noise = torch.rand(score.shape, generator=generator)
            score = score + 1e-6 * noise
            block = (start <= edges[1]) & (edges[1] < stop)
            score[edges[0, block], edges[1, block] - start] = -torch.inf
            other = y[start:stop]
            same = (y[:, None] == other) | (y[:, None] < 0) | (other < 0)
            score.masked_fill_(same, -torch.inf)
            # Each pair once:
            node = torch.arange(num_nodes)
            score.masked_fill_(node[:, None] >= node[start:stop], -torch.inf)
            least = best.min() if best.numel() >= add else -torch.inf
            row, col = (score > least).nonzero().unbind(1)
            best = torch.cat([best, score[row, col]])
            pairs = torch.cat([pairs, torch.stack([row, col + start])], dim=1)
            best, kept = best.topk(min(add, best.numel()))
            pairs = pairs[:, kept]
        if best.numel() < add:
            raise ValueError(
                f"'add' must be at most {best.numel()}, the number of "
                f'{self.wanted}, got {add}'
            )
        return change_graph(data, edges, pairs, edges[:, :0])

    def __repr__(self) -> str:
        return f'{type(self).__name__}(add={self.add}, seed={self.seed})'


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
        x = fastest_layout(x.detach().cpu().double())
        block = Cosine().scores(x).block
        return lambda start, stop: block(start, stop).t()


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
