import torch
from torch import Tensor

from torch_geometric_vgcn.pairs.base import Pairs
from torch_geometric_vgcn.utils import (
    Triangle,
    check_edge_index,
    check_floats,
    check_node_id,
    check_num_nodes,
    place_of,
)

MOST_PAIRS = 2**31


class AllPairs(Pairs):
    r"""All :math:`N(N-1)/2` pairs: the paper's exact dense model.

    Memory and time grow like :math:`N^2`; for more than some thousand nodes
    use :class:`Candidates`.

    Args:
        num_nodes (int): The number of nodes :math:`N`.
    """

    has_background = False

    _where: Tensor  # empty; there for its device

    def __init__(
        self,
        num_nodes: int,
        position: Tensor | None = None,
        node_id: Tensor | None = None,
    ) -> None:
        num_nodes = check_num_nodes(num_nodes)
        super().__init__(num_nodes, position, node_id)
        if self.num_possible > MOST_PAIRS:
            raise ValueError(
                f"'num_nodes' = {num_nodes} has {self.num_possible:,} pairs, "
                f'expected at most {MOST_PAIRS:,} (8 GB for one number per '
                'pair): use Candidates'
            )
        self.register_buffer('_where', torch.empty(0), persistent=False)

    def __len__(self) -> int:
        return self.num_possible

    @property
    def device(self) -> torch.device:
        return self._where.device

    @property
    def index(self) -> Tensor:  # type: ignore[override]
        # Four times the size of the logits: made when asked for, not kept.
        n = self.num_nodes
        return torch.triu_indices(n, n, offset=1, device=self.device)

    @property
    def key(self) -> Tensor:  # type: ignore[override]
        row, col = self.index
        return row * self.num_nodes + col

    def contains(self, edge_index: Tensor) -> Tensor:
        check_edge_index(edge_index, self.num_nodes, empty=True)
        place = self._place(edge_index.to(self.device).long())
        mask = torch.zeros(len(self), dtype=torch.bool, device=self.device)
        mask[place] = True
        return mask

    def _upper(self) -> Tensor:
        n = self.num_nodes
        mask = torch.ones(n, n, dtype=torch.bool, device=self.device)
        return mask.triu_(diagonal=1)

    def _place(self, index: Tensor) -> Tensor:
        r"""Where pairs of nodes stand among the pairs."""
        return place_of(index.sort(dim=0).values, self.num_nodes)

    def to_dense(self, value: Tensor) -> Tensor:
        r"""The symmetric matrix :obj:`[N, N]` with one :obj:`value` per
        pair and a zero diagonal.
        """
        check_floats(value, (len(self),), 'value')
        adj = value.new_zeros(self.num_nodes, self.num_nodes)
        adj = adj.masked_scatter(self._upper(), value)
        return adj + adj.t()

    def _same_as(self, other: Pairs) -> bool:
        return self.num_nodes == other.num_nodes

    def _make_pattern(self) -> Triangle:
        return Triangle(self.num_nodes, self.device)

    def _dot(self, left: Tensor, right: Tensor) -> Tensor:
        # By place, as a mask's result would have to be waited for:
        return (left @ right.t()).flatten().index_select(0, self.key)

    def neighbors(self, node_id: Tensor) -> Tensor:
        check_node_id(node_id, self.num_nodes, least=1)
        return torch.arange(self.num_nodes, device=self.device)

    def _subset(self, node_id: Tensor) -> 'AllPairs':
        check_node_id(node_id, self.num_nodes)
        node_id = node_id.to(self.device).long()
        pairs = AllPairs(node_id.numel(), node_id=node_id).to(self.device)
        pairs.position = self._place(node_id[pairs.index])
        return pairs
