import torch
from torch import Tensor

from torch_geometric_vgcn.pairs.base import Pairs, check_node_id
from torch_geometric_vgcn.pairs.triangle import Triangle
from torch_geometric_vgcn.validate import check_num_nodes


class AllPairs(Pairs):
    r"""All :math:`N(N-1)/2` pairs: the paper's exact dense model.

    Memory and time grow like :math:`N^2`; for more than some thousand nodes
    use :class:`Candidates`.

    Args:
        num_nodes (int): The number of nodes :math:`N`.
    """

    def __init__(
        self,
        num_nodes: int,
        position: Tensor | None = None,
        node_id: Tensor | None = None,
    ) -> None:
        check_num_nodes(num_nodes)
        index = torch.triu_indices(num_nodes, num_nodes, offset=1)
        super().__init__(index, num_nodes, position, node_id)

    def to_dense(self, value: Tensor) -> Tensor:
        r"""The symmetric matrix :obj:`[N, N]` with one :obj:`value` a pair and
        a zero diagonal.
        """
        adj = value.new_zeros(self.num_nodes * self.num_nodes)
        adj = adj.index_copy(0, self.key, value)
        adj = adj.view(self.num_nodes, self.num_nodes)
        return adj + adj.t()

    def _make_pattern(self) -> Triangle:
        return Triangle(self.num_nodes, self.index.device)

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        return (left @ right.t()).flatten().index_select(0, self.key)

    def subset(self, node_id: Tensor) -> 'AllPairs':
        check_node_id(node_id, self.num_nodes)
        node_id = node_id.to(self.index)
        pairs = AllPairs(node_id.numel()).to(self.index.device)
        # Rows of the upper triangle start where all earlier rows have ended:
        low, high = node_id[pairs.index].sort(dim=0).values
        row_start = low * (2 * self.num_nodes - low - 1) // 2
        pairs.position = row_start + (high - low - 1)
        pairs.node_id = node_id
        return pairs
