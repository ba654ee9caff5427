r"""Dense blocks of pairs: one, or one for each cluster of nodes."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.functional import pad

from torch_geometric_vgcn.pairs.base import Pairs
from torch_geometric_vgcn.utils import (
    ClusterPattern,
    Pattern,
    Triangle,
    check_edge_index,
    check_floats,
    check_node_id,
    check_num_nodes,
    check_tensor,
    entries_of,
)

MOST_PAIRS = 2**31


class ClusterPairs(Pairs):
    r"""All pairs inside each cluster of nodes, and none between: the paper's
    dense model made block-diagonal, as in its experiment on Pubmed.

    With clusters of :math:`n_1, n_2, \ldots` nodes there are
    :math:`\sum_c n_c (n_c - 1) / 2` pairs. Those between clusters have no
    variable and no background: they aren't part of the model. The subset of
    one cluster is :class:`AllPairs`.

    Args:
        cluster (Tensor): The cluster of each node, of shape :obj:`[N]`
            (:obj:`ClusterData.cluster`).
    """

    has_background = False

    label: Tensor  # [N], clusters from 0 on
    rank: Tensor  # [N], the place of each node in its cluster
    member: Tensor  # [N], the nodes by cluster
    first: Tensor  # where each node's cluster starts in 'member'
    pointer: Tensor  # [N + 1], where each node's row of pairs starts

    def __init__(self, cluster: Tensor) -> None:
        check_tensor(cluster, '[N]', 'cluster')
        if cluster.dim() != 1 or cluster.numel() < 2:
            raise ValueError(
                "'cluster' must name the clusters of at least two nodes, "
                f'got shape {list(cluster.shape)}'
            )
        if cluster.is_floating_point() or cluster.is_complex():
            raise TypeError(
                f"'cluster' must hold integers, got {cluster.dtype}"
            )
        super().__init__(cluster.numel())
        _, label, size = cluster.unique(
            return_inverse=True, return_counts=True
        )
        member = label.argsort(stable=True)
        first = (size.cumsum(0) - size)[label]
        rank = torch.empty_like(member)
        rank[member] = torch.arange(member.numel(), device=member.device)
        rank -= first
        # Each node is paired with those of its cluster that come later:
        pointer = pad((size[label] - rank - 1).cumsum(0), (1, 0))
        self.num_pairs = int(pointer[-1])
        self.sizes: list[int] = size.tolist()
        self.register_buffer('label', label, persistent=False)
        self.register_buffer('rank', rank, persistent=False)
        self.register_buffer('member', member, persistent=False)
        self.register_buffer('first', first, persistent=False)
        self.register_buffer('pointer', pointer, persistent=False)

    def __len__(self) -> int:
        return self.num_pairs

    @property
    def device(self) -> torch.device:
        return self.label.device

    @property
    def index(self) -> Tensor:  # type: ignore[override]
        # Four times the size of the logits: made when asked for, not kept.
        node = torch.arange(self.num_nodes, device=self.device)
        place, row = entries_of(self.pointer, node)
        step = place - self.pointer[row] + self.rank[row] + 1
        return torch.stack([row, self.member[self.first[row] + step]])

    def clusters(self) -> list[Tensor]:
        r"""The nodes of each cluster, ascending."""
        return list(self.member.split(self.sizes))

    def joins(self, edge_index: Tensor) -> Tensor:
        r"""Tells for each edge whether both its nodes are in one cluster: a
        mask of shape :obj:`[E]`. The other edges aren't part of the model.
        """
        check_edge_index(edge_index, self.num_nodes, empty=True)
        row, col = self.label[edge_index.to(self.device).long()]
        return row == col

    def contains(self, edge_index: Tensor) -> Tensor:
        inside = self.joins(edge_index)
        edge_index = edge_index.to(self.device).long()[:, inside]
        mask = torch.zeros(len(self), dtype=torch.bool, device=self.device)
        mask[self._place(edge_index)] = True
        return mask

    def _place(self, index: Tensor) -> Tensor:
        r"""Where pairs of nodes of one cluster stand among the pairs."""
        low, high = torch.minimum(*index), torch.maximum(*index)
        return self.pointer[low] + self.rank[high] - self.rank[low] - 1

    def _make_pattern(self) -> Pattern:
        return ClusterPattern(self.clusters(), self.pointer)

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        self._check_factors(left, right)
        values, places = [], []
        for node in self.clusters():
            product = left[node] @ right[node].t()
            upper = torch.ones_like(product, dtype=torch.bool).triu_(1)
            values.append(product.masked_select(upper))
            places.append(entries_of(self.pointer, node)[0])
        value = torch.cat(values)
        return torch.empty_like(value).index_copy(0, torch.cat(places), value)

    def neighbors(self, node_id: Tensor) -> Tensor:
        check_node_id(node_id, self.num_nodes, least=1)
        size = torch.tensor(self.sizes, device=self.device)
        cluster = self.label[node_id.to(self.device).long()].unique()
        place, _ = entries_of(pad(size.cumsum(0), (1, 0)), cluster)
        return self.member[place]

    def subset(self, node_id: Tensor) -> Pairs:
        check_node_id(node_id, self.num_nodes)
        node_id = node_id.to(self.device).long()
        label = self.label[node_id]
        pairs: Pairs
        if bool((label == label[0]).all()):
            pairs = AllPairs(node_id.numel()).to(self.device)
        else:
            pairs = ClusterPairs(label)
        return self._adopt(pairs, self._place(node_id[pairs.index]), node_id)

    def get_extra_state(self) -> dict[str, int]:
        # A cluster goes by its first node, whatever it's called:
        node = torch.arange(self.num_nodes, device=self.device)
        return self._state(self.member[self.first] * self.num_nodes + node)

    def set_extra_state(self, state: Any) -> None:
        self._expect(state, self.get_extra_state())


class AllPairs(ClusterPairs):
    r"""All :math:`N(N-1)/2` pairs, as of one cluster: the paper's exact dense
    model.

    Memory and time grow like :math:`N^2`; for more than some thousand nodes
    use :class:`Candidates`.

    Args:
        num_nodes (int): The number of nodes :math:`N`.
    """

    def __init__(self, num_nodes: int) -> None:
        num_nodes = check_num_nodes(num_nodes)
        num_pairs = num_nodes * (num_nodes - 1) // 2
        if num_pairs > MOST_PAIRS:
            raise ValueError(
                f"'num_nodes' = {num_nodes} has {num_pairs:,} pairs, "
                f'expected at most {MOST_PAIRS:,} (8 GB for one number per '
                'pair): use Candidates'
            )
        super().__init__(torch.zeros(num_nodes, dtype=torch.long))

    @property
    def index(self) -> Tensor:  # type: ignore[override]
        n = self.num_nodes
        return torch.triu_indices(n, n, offset=1, device=self.device)

    def to_dense(self, value: Tensor) -> Tensor:
        r"""The symmetric matrix :obj:`[N, N]` with one :obj:`value` per
        pair and a zero diagonal.
        """
        check_floats(value, (len(self),), 'value')
        n = self.num_nodes
        adj = value.new_zeros(n, n)
        upper = torch.ones_like(adj, dtype=torch.bool).triu_(diagonal=1)
        adj = adj.masked_scatter(upper, value)
        return adj + adj.t()

    def _same_as(self, other: Pairs) -> bool:
        return self.num_nodes == other.num_nodes

    def _make_pattern(self) -> Pattern:
        return Triangle(self.num_nodes, self.device)

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        self._check_factors(left, right)
        # By place, as a mask's result would have to be waited for:
        return (left @ right.t()).flatten().index_select(0, self.key)

    # The number of nodes says all, and the learner's logits tell it:
    get_extra_state = Module.get_extra_state
    set_extra_state = Module.set_extra_state
