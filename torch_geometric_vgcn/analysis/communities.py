import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_networkx

from torch_geometric_vgcn.utils import check_edge_index, count_nodes


def communities(data: Data) -> list[Tensor]:
    r"""Finds communities by label propagation (`"Community detection via
    semi-synchronous label propagation algorithms"
    <https://arxiv.org/abs/1103.4550>`_), from the largest to the smallest.
    The result is deterministic.

    Args:
        data (torch_geometric.data.Data): The graph, with :obj:`edge_index`
            and :obj:`num_nodes`.

    Returns:
        The sorted node ids of each community. Each node is in one of them.
    """
    import networkx  # which takes a while

    num_nodes = count_nodes(data)
    check_edge_index(data.get('edge_index'), num_nodes, 'data.edge_index')
    data = Data(edge_index=data.edge_index, num_nodes=num_nodes)
    graph = to_networkx(data, to_undirected=True)
    found = networkx.community.label_propagation_communities(graph)
    nodes = sorted(map(sorted, found), key=lambda ids: (-len(ids), ids))
    return [torch.tensor(ids) for ids in nodes]
