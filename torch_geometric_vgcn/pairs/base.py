from abc import ABC, abstractmethod

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.utils import Pattern, check_floats, check_kind


class Pairs(Module, ABC):
    r"""The unordered node pairs :math:`\{i, j\}, i < j` that have a logit of
    their own: one variable per pair, shared by both directions.

    There are no self-loops and each pair comes once, sorted by
    :math:`(i, j)`.

    Args:
        num_nodes (int): The number of nodes :math:`N`.
        position (Tensor, optional): Where each pair stands in the pairs that
            this is a subset of. (default: :obj:`None`)
        node_id (Tensor, optional): Which node of those each node is.
            (default: :obj:`None`)
    """

    # Whether the other pairs have a probability too, that of the background:
    has_background = True

    index: Tensor  # [2, P]
    key: Tensor  # one increasing number per pair, i * N + j
    position: Tensor | None
    node_id: Tensor | None

    def __init__(
        self,
        num_nodes: int,
        position: Tensor | None = None,
        node_id: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.num_nodes = num_nodes
        self._pattern: tuple[torch.device, Pattern] | None = None
        # In a tuple, as it isn't a part of this module:
        self._whole: tuple[Pairs, ...] = ()
        self.register_buffer('position', position, persistent=False)
        self.register_buffer('node_id', node_id, persistent=False)

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def device(self) -> torch.device: ...

    @property
    def num_possible(self) -> int:
        r"""The number of all unordered pairs, :math:`N(N-1)/2`."""
        return self.num_nodes * (self.num_nodes - 1) // 2

    @property
    def pattern(self) -> Pattern:
        r"""Where the pairs stand in a symmetric matrix, computed once."""
        if self._pattern is None or self._pattern[0] != self.device:
            # Kept, so it must be fit for training too:
            with torch.inference_mode(False):
                self._pattern = (self.device, self._make_pattern())
        return self._pattern[1]

    @abstractmethod
    def _make_pattern(self) -> Pattern: ...

    @abstractmethod
    def contains(self, edge_index: Tensor) -> Tensor:
        r"""Tells for each pair whether :obj:`edge_index` connects it, in
        either direction: a mask of shape :obj:`[P]`.
        """

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        r"""The inner products :math:`\mathbf{l}_i^{\top} \mathbf{r}_j` of the
        pairs' nodes, of shape :obj:`[P]`.
        """
        check_floats(left, (self.num_nodes, 'd'), 'left')
        check_floats(right, (self.num_nodes, left.size(1)), 'right')
        if left.dtype != right.dtype:
            raise TypeError(
                f"'left' and 'right' must have the same type, got "
                f'{left.dtype} and {right.dtype}'
            )
        return self._dot(left, right)

    @abstractmethod
    def _dot(self, left: Tensor, right: Tensor) -> Tensor: ...

    @abstractmethod
    def neighbors(self, node_id: Tensor) -> Tensor:
        r"""The nodes that have a pair with one of the nodes
        :obj:`node_id`, each once, at the cost of these pairs.
        """

    @property
    def whole(self) -> 'Pairs':
        r"""The pairs that these are a subset of, or these themselves."""
        return self._whole[0] if self._whole else self

    def subset(self, node_id: Tensor) -> 'Pairs':
        r"""The pairs among the nodes :obj:`node_id`, renumbered to their
        places in :obj:`node_id`.
        """
        pairs = self._subset(node_id)
        pairs._whole = (self.whole,)
        if self.position is not None and self.node_id is not None:
            # A subset of a subset is one of the whole.
            pairs.position = self.position[pairs.position]
            pairs.node_id = self.node_id[pairs.node_id]
        return pairs

    @abstractmethod
    def _subset(self, node_id: Tensor) -> 'Pairs':
        r"""The pairs among some nodes, with their places in these pairs."""

    def same_as(self, other: 'Pairs') -> bool:
        r"""Whether these are the same pairs, in the same order."""
        check_kind(other, Pairs, 'other')
        if self is other:
            return True
        if self.node_id is not None and other.node_id is not None:
            node_id = other.node_id.to(self.device)
            whole = self.whole.same_as(other.whole)
            return whole and torch.equal(self.node_id, node_id)
        if self.node_id is not None or other.node_id is not None:
            return False
        return type(self) is type(other) and self._same_as(other)

    def _same_as(self, other: 'Pairs') -> bool:
        same = self.num_nodes == other.num_nodes and len(self) == len(other)
        return same and torch.equal(self.key, other.key.to(self.device))

    def extra_repr(self) -> str:
        return f'num_nodes={self.num_nodes}, num_pairs={len(self)}'
