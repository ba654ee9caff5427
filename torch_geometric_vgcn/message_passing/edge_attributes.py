from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.utils import check_kind, check_tensor, find

# Further arguments of a conv, given the edges that it is called with.
Attributes = Callable[[Tensor], dict[str, Any]]


def no_attributes(edge_index: Tensor) -> dict[str, Any]:
    r"""The attributes of a graph whose edges have none."""
    return {}


class EdgeAttributes:
    r"""The attributes of an observed graph's edges, for any edges.

    An edge that wasn't observed has those of the opposite direction if that
    was, else the mean of all attributes.

    Args:
        edge_index (Tensor): The observed edges, of shape :obj:`[2, E]`.
        edge_attr (Tensor): Their attributes, of shape :obj:`[E, ...]`.
        num_nodes (int): The number of nodes.
    """

    def __init__(
        self, edge_index: Tensor, edge_attr: Tensor, num_nodes: int
    ) -> None:
        self.num_nodes = num_nodes
        self.key, order = self._key(edge_index).sort(stable=True)
        mean = edge_attr.mean(dim=0, keepdim=True, dtype=torch.float)
        # The last row is the default:
        self.edge_attr = torch.cat(
            [edge_attr[order], mean.to(edge_attr.dtype)]
        )

    def _key(self, edge_index: Tensor) -> Tensor:
        return edge_index[0] * self.num_nodes + edge_index[1]

    def _place(self, edge_index: Tensor) -> Tensor:
        place, found = find(self.key, self._key(edge_index))
        return torch.where(found, place, self.key.numel())

    def __call__(self, edge_index: Tensor) -> dict[str, Any]:
        place = self._place(edge_index)
        opposite = self._place(edge_index.flip(0))
        place = torch.where(place < self.key.numel(), place, opposite)
        return {'edge_attr': self.edge_attr[place]}


def attributes_of(
    prior: Prior,
    edge_index: Any = None,
    edge_attr: Tensor | None = None,
) -> Attributes:
    r"""What goes along with sampled edges besides their weights: the given
    attributes of the observed edges, or else the prior's, or else nothing.
    """
    check_kind(prior, Prior, 'prior')
    if edge_attr is None:
        edge_index, edge_attr = prior.edge_index, prior.edge_attr
    if edge_attr is None:
        return no_attributes
    check_tensor(edge_attr, '[E, ...]', 'edge_attr')
    if (
        not isinstance(edge_index, Tensor)
        or edge_index.layout != torch.strided
        or edge_attr.dim() == 0
        or edge_attr.size(0) != edge_index.size(-1)
    ):
        raise ValueError(
            "'edge_attr' must come with an 'edge_index' of shape [2, E] "
            f'and have a row for each edge, got {list(edge_attr.shape)}'
        )
    return EdgeAttributes(edge_index, edge_attr, prior.num_nodes)
