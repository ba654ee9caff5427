from torch import Tensor

from torch_geometric_vgcn.utils.index import entries_of
from torch_geometric_vgcn.utils.pattern import Pattern
from torch_geometric_vgcn.utils.triangle import Triangle


class Blocks(Pattern):
    r"""Dense symmetric blocks, one for each cluster of nodes, with nothing
    between them.

    Args:
        members (List[Tensor]): The nodes of each cluster, ascending.
        pointer (Tensor): Where each node's row of pairs starts, of shape
            :obj:`[N + 1]`.
    """

    def __init__(self, members: list[Tensor], pointer: Tensor) -> None:
        # A node alone has no pairs:
        self.members = [node for node in members if node.numel() > 1]
        self.pointer = pointer
        sizes = {node.numel() for node in self.members}
        self.triangles = {n: Triangle(n, pointer.device) for n in sizes}

    def _pairs(self, node: Tensor) -> Tensor:
        # As large as the weights twice over: made when needed, not kept.
        return entries_of(self.pointer, node)[0]

    def entries(self, weight: Tensor) -> list[Tensor]:
        return [weight[:, self._pairs(node)] for node in self.members]

    def product(self, entries: list[Tensor], x: Tensor) -> Tensor:
        out = x.new_zeros(x.shape)
        for node, weight in zip(self.members, entries, strict=True):
            triangle = self.triangles[node.numel()]
            out[:, node] = triangle.product(weight, x[:, node])
        return out

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        out = left.new_empty(left.size(0), int(self.pointer[-1]))
        for node in self.members:
            triangle = self.triangles[node.numel()]
            part = triangle.dot(left[:, node], right[:, node])
            out[:, self._pairs(node)] = part
        return out
