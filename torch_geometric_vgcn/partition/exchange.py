from collections import defaultdict
from io import BytesIO
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from torch_geometric_vgcn.partition.batch import Piece
from torch_geometric_vgcn.partition.cluster import Blocks
from torch_geometric_vgcn.partition.learner import PartitionedLearner
from torch_geometric_vgcn.partition.rounds import Slot


class Exchange:
    r"""Brings guests to the processes that compute their batches, and the
    gradients of their logits back to their owners. Nothing else of the graph
    and of the posterior is sent.

    Args:
        learner (PartitionedLearner): The learner.
        between (Tuple[float, float]): How much pairs between clusters count.
    """

    def __init__(self, learner: PartitionedLearner) -> None:
        self.learner = learner
        self.ranks = learner.ranks
        self.sent = 0  # bytes
        self._away: list[tuple[int, int, Tensor]] = []

    def owner(self, shard: int) -> int:
        return self.learner.graph.owner_of(shard, self.ranks.world)

    def host_and_owner(self, slot: Slot, c: int) -> tuple[int, int]:
        r"""The process of a batch, and that of one of its clusters."""
        shard = self.learner.graph.shard_of(c)
        return self.owner(slot.shard), self.owner(shard)

    def fetch(self, slots: list[Slot]) -> dict[int, list[Piece]]:
        r"""The pieces of this process's batches, by shard."""
        me, work = self.ranks.rank, []
        pieces: dict[int, list[Piece]] = defaultdict(list)
        self._away = []
        for slot in slots:
            for c in slot.clusters:
                host, owner = self.host_and_owner(slot, c)
                if owner == me != host:
                    piece = self.learner.piece(c, slot.clusters)
                    places = self.learner.places(piece)
                    self._away.append((host, c, places))
                    work += self._send(_packed(piece), host)
        for slot in slots:
            for c in slot.clusters:
                host, owner = self.host_and_owner(slot, c)
                if host != me:
                    continue
                if owner == me:
                    piece = self.learner.piece(c, slot.clusters)
                else:
                    piece = _unpacked(c, self._receive(owner))
                pieces[slot.shard].append(piece)
        _finish(work)
        return dict(pieces)

    def give_back(
        self, pieces: dict[int, list[Piece]], grads: dict[int, list[Tensor]]
    ) -> dict[int, list[tuple[Tensor, Tensor]]]:
        r"""The gradients of this process's logits: for each shard, places and
        values.
        """
        graph, learner, me = self.learner.graph, self.learner, self.ranks.rank
        out: dict[int, list[tuple[Tensor, Tensor]]] = defaultdict(list)
        work = []
        for shard, some in pieces.items():
            for piece, grad in zip(some, grads[shard], strict=True):
                own = graph.shard_of(piece.cluster)
                owner = self.owner(own)
                if owner == me:
                    out[own].append((learner.places(piece), grad))
                else:
                    grad = grad.contiguous()
                    work.append((dist.isend(grad, owner), grad))
                    self.sent += grad.nbytes
        for host, c, places in self._away:
            grad = torch.empty(places.numel())
            dist.recv(grad, host)
            out[graph.shard_of(c)].append((places, grad))
        _finish(work)
        return dict(out)

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
