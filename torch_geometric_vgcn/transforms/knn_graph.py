import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn.validate import check_features


class KNNGraph(BaseTransform):
    r"""Connects each node with the :math:`k` nodes of the nearest features,
    without any compiled extension. Replaces :obj:`data.edge_index`.

    A neighbour relation seen from one side counts for both (the union).
    Neighbours are exact, found block by block so that no :math:`N \times N`
    matrix is held.

    Args:
        k (int, optional): The number of neighbours. (default: :obj:`20`)
        cosine (bool, optional): Whether to use the cosine distance instead of
            the Euclidean one. (default: :obj:`True`)
    """

    def __init__(self, k: int = 20, cosine: bool = True) -> None:
        if k < 1:
            raise ValueError(f"'k' must be at least 1, got {k}")
        self.k = k
        self.cosine = cosine

    def forward(self, data: Data) -> Data:
        x = data.x
        check_features(x, data.num_nodes, 'data.x')
        if self.k >= x.size(0):
            raise ValueError(
                f"'k' must be below the number of nodes ({x.size(0)}), "
                f'got {self.k}'
            )
        x = x.to_dense() if x.layout != torch.strided else x
        neighbor = _nearest(x, self.k, self.cosine)
        row = torch.arange(x.size(0), device=x.device).repeat_interleave(
            self.k
        )
        edge_index = torch.stack([neighbor.flatten(), row])
        data.edge_index = to_undirected(edge_index, num_nodes=x.size(0))
        # What the old edges carried doesn't fit the new ones:
        data.edge_attr = data.edge_weight = None
        return data

    def __repr__(self) -> str:
        return f'{type(self).__name__}(k={self.k}, cosine={self.cosine})'


def _nearest(x: Tensor, k: int, cosine: bool) -> Tensor:
    if cosine:
        x = torch.nn.functional.normalize(x, dim=-1)
    else:
        x = x - x.mean(dim=0)  # far from the origin float32 is coarse
    square = x.square().sum(dim=-1)
    neighbors = []
    for start in range(0, x.size(0), 1024):
        block = x[start : start + 1024]
        score = block @ x.t()
        if not cosine:
            score -= square / 2  # nearest = largest x.y - |y|^2 / 2
        score.diagonal(offset=start).fill_(-torch.inf)
        neighbors.append(score.topk(k, dim=-1).indices)
    return torch.cat(neighbors)
