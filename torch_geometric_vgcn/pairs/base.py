from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.utils import (
    Pattern,
    check_floats,
    check_kind,
    checksum,
    find,
)


class Pairs(Module, ABC):
    r"""The unordered node pairs :math:`\{i, j\}, i < j` that have a logit of
    their own: one variable per pair, shared by both directions.

    There are no self-loops and each pair comes once, sorted by
    :math:`(i, j)`.

    Args:
        num_nodes (int): The number of nodes :math:`N`.
    """

    # Whether the other pairs have a probability too, that of the background:
    has_background = True

    index: Tensor  # [2, P]
    # Where the pairs and nodes of a subset stand among those of the whole:
    position: Tensor | None
    node_id: Tensor | None

    def __init__(self, num_nodes: int) -> None:
        super().__init__()
        self.num_nodes = num_nodes
        self._pattern: tuple[torch.device, Pattern] | None = None
        # In a tuple, as they aren't a part of this module:
        self._whole: tuple[Pairs, ...] = ()
        self.register_buffer('position', None, persistent=False)
        self.register_buffer('node_id', None, persistent=False)

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def device(self) -> torch.device: ...

    @property
    def key(self) -> Tensor:
        r"""One increasing number per pair, :math:`i N + j`."""
        row, col = self.index
        return row * self.num_nodes + col

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

    @abstractmethod
    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        r"""The inner products :math:`\mathbf{l}_i^{\top} \mathbf{r}_j` of the
        pairs' nodes, of shape :obj:`[P]`.
        """

    def _check_factors(self, left: Tensor, right: Tensor) -> None:
        check_floats(left, (self.num_nodes, 'd'), 'left')
        check_floats(right, (self.num_nodes, left.size(1)), 'right')
        if left.dtype != right.dtype:
            raise TypeError(
                f"'left' and 'right' must have the same type, got "
                f'{left.dtype} and {right.dtype}'
            )

    @abstractmethod
    def neighbors(self, node_id: Tensor) -> Tensor:
        r"""The nodes that have a pair with one of the nodes
        :obj:`node_id`, each once, at the cost of these pairs.
        """

    @property
    def whole(self) -> 'Pairs':
        r"""The pairs that these are a subset of, or these themselves."""
        return self._whole[0] if self._whole else self

    @abstractmethod
    def subset(self, node_id: Tensor) -> 'Pairs':
        r"""The pairs among the nodes :obj:`node_id`, renumbered to their
        places in :obj:`node_id`.
        """

    def _adopt(
        self, pairs: 'Pairs', position: Tensor, node_id: Tensor
    ) -> 'Pairs':
        r"""Tells a subset where it stands among these pairs."""
        if self.position is not None and self.node_id is not None:
            # A subset of a subset is one of the whole.
            position, node_id = self.position[position], self.node_id[node_id]
        pairs._whole = (self.whole,)
        pairs.position, pairs.node_id = position, node_id
        return pairs

    def places_in(self, other: 'Pairs') -> Tensor | None:
        r"""Where these pairs stand among others: :obj:`None` if they are the
        same, otherwise of shape :obj:`[P]`. They must be among them.
        """
        if other.same_as(self):
            return None
        if other.same_as(self.whole):
            return self.position
        if self.position is not None and other.position is not None:
            # Both are subsets of others:
            known, order = other.position.sort()
            place, found = find(known, self.position)
            if other.whole.same_as(self.whole) and bool(found.all()):
                return order[place]
        raise ValueError(
            f'{len(self)} pairs must be among {len(other)} others, got some '
            'that are not'
        )

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

    def _state(self, key: Tensor) -> dict[str, int]:
        r"""What a saved state holds to tell these pairs from others."""
        return {
            'num_nodes': self.num_nodes,
            'num_pairs': len(self),
            'checksum': checksum(key),
        }

    def _expect(self, state: Any, own: dict[str, int]) -> None:
        r"""Expects the state of the same pairs."""
        if state != own:
            raise ValueError(
                f'the state to load was saved for other {type(self).__name__} '
                f'({state}), expected {own}: build the learner from the same '
                'graph or clusters'
            )

    def extra_repr(self) -> str:
        return f'num_nodes={self.num_nodes}, num_pairs={len(self)}'
