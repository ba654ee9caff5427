from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from torch_geometric_vgcn.transforms.amount import check_amount, count_of
from torch_geometric_vgcn.transforms.perturbation import change_graph, edges_of
from torch_geometric_vgcn.transforms.split import labels_of
from torch_geometric_vgcn.utils import check_seed


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
