import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from torch_geometric_vgcn.utils import check_features, count_nodes
from torch_geometric_vgcn.utils.rows import map_rows, row_norm


class UnitRows(BaseTransform):
    r"""Scales the features of each node to a Euclidean norm of one,
    :math:`\mathbf{x}_i / \| \mathbf{x}_i \|`, so that long documents count as
    much as short ones. Features that are all zero stay so.

    :class:`~torch_geometric.transforms.NormalizeFeatures` scales them to a sum
    of one.
    """

    def forward(self, data: Data) -> Data:
        num_nodes = count_nodes(data)
        check_features(data.x, num_nodes, 'data.x')
        x = data.x
        if x.dim() != 2:
            raise ValueError(
                f"'data.x' must have shape [N, F], got {list(x.shape)}"
            )
        if x.layout != torch.strided and x.layout != torch.sparse_csr:
            x = x.to_sparse_csr()
        norm = row_norm(x)
        data.x = map_rows(x, torch.div, norm.masked_fill(norm == 0, 1.0))
        return data
