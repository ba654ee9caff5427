from collections.abc import Iterator
from io import BytesIO
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch import Tensor

from torch_geometric_vgcn.partition.batch import Piece
from torch_geometric_vgcn.partition.cluster import Blocks
from torch_geometric_vgcn.partition.learner import PartitionedLearner
from torch_geometric_vgcn.partition.rounds import Slot


class Gradient(NamedTuple):
    r"""The gradient of some logits of a shard."""

    shard: int
    place: Tensor
    value: Tensor


class Exchange:
    r"""Brings guests to the processes that compute their batches, and the
    gradients of their logits back to their owners. Nothing else of the graph
    and of the posterior is sent.

    Args:
        learner (PartitionedLearner): The learner.
    """

    def __init__(self, learner: PartitionedLearner) -> None:
        self.learner = learner
        self.ranks = learner.ranks
        self.sent = 0  # bytes
        self._away: list[tuple[int, int, Tensor]] = []

    def owner(self, shard: int) -> int:
        return self.learner.graph.owner_of(shard, self.ranks.world)

    def guests(
        self, slots: list[Slot]
    ) -> Iterator[tuple[Slot, int, int, int]]:
        r"""The clusters of batches that belong to another process than the
        one that computes them, in the same order everywhere: the batch, the
        cluster, the process of the batch, and that of the cluster.
        """
        for slot in slots:
            host = self.owner(slot.shard)
            for c in slot.clusters:
                owner = self.owner(self.learner.graph.shard_of(c))
                if owner != host:
                    yield slot, c, host, owner

    def fetch(self, slots: list[Slot]) -> dict[int, Piece]:
        r"""Sends the own clusters that are guests in this step. Returns the
        guests of this process's batches.
        """
        me, work, pieces = self.ranks.rank, [], {}
        self._away = []
        for slot, c, host, owner in self.guests(slots):
            if owner == me:
                piece = self.learner.piece(c, slot.clusters)
                places = self.learner.places(piece)
                self._away.append((host, c, places))
                work += self._send(_packed(piece), host)
        for _, c, host, owner in self.guests(slots):
            if host == me:
                pieces[c] = _unpacked(c, self._receive(owner))
        _finish(work)
        return pieces

    def give_back(self, grads: dict[int, Tensor]) -> list[Gradient]:
        r"""Sends the gradients of guests back, by cluster. Returns those of
        the own clusters that were guests elsewhere.
        """
        graph, work, out = self.learner.graph, [], []
        for c, grad in grads.items():
            owner = self.owner(graph.shard_of(c))
            work.append((dist.isend(grad, owner), grad))
            self.sent += grad.nbytes
        for host, c, places in self._away:
            grad = torch.empty(places.numel())
            dist.recv(grad, host)
            out.append(Gradient(graph.shard_of(c), places, grad))
        _finish(work)
        return out

    def _send(self, message: Tensor, to: int) -> list[tuple[Any, Tensor]]:
        size = torch.tensor([message.numel()])
        self.sent += message.nbytes + size.nbytes
        return [(dist.isend(part, to), part) for part in (size, message)]

    def _receive(self, source: int) -> Tensor:
        size = torch.empty(1, dtype=torch.int64)
        dist.recv(size, source)
        message = torch.empty(int(size), dtype=torch.uint8)
        dist.recv(message, source)
        return message


def _finish(work: list[tuple[Any, Tensor]]) -> None:
    for request, _ in work:
        request.wait()


def _packed(piece: Piece) -> Tensor:
    row, col, other, logit, _ = piece.blocks
    buffer = BytesIO()
    content = {
        'x': piece.x,
        'y': piece.y,
        'mask': piece.mask,
        'row': row.int(),
        'col': col.int(),
        'other': other.int(),
        'logit': logit,
        'offset': piece.offset.clone(),  # not all that it is a part of
    }
    torch.save(content, buffer)
    return torch.frombuffer(buffer.getbuffer(), dtype=torch.uint8)


def _unpacked(c: int, message: Tensor) -> Piece:
    content = torch.load(BytesIO(message.numpy().data), weights_only=True)
    row, col, other = (content[k].long() for k in ('row', 'col', 'other'))
    place = row[:0]  # known to the owner only
    blocks = Blocks(row, col, other, content['logit'], place)
    return Piece(
        c,
        content['x'],
        content['y'],
        content['mask'],
        blocks,
        content['offset'],
    )
