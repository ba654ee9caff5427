from dataclasses import dataclass

import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import AllPairs, Candidates, ClusterPairs
from torch_geometric_vgcn.pairs.base import Pairs
from torch_geometric_vgcn.partition.cluster import Blocks
from torch_geometric_vgcn.partition.graph import PartitionedGraph
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.prior.base import logit


@dataclass
class Piece:
    r"""What one cluster brings to a batch.

    Args:
        cluster (int): The cluster.
        x (Tensor): The features of its nodes.
        y (Tensor): Their classes.
        mask (Tensor): Which of them count.
        blocks (Blocks): Its pairs with the nodes of the batch; of all pairs
            inside the cluster, if the graph is dense, only the edges.
        offset (Tensor): What the posterior adds to their prior logits.
    """

    cluster: int
    x: Tensor
    y: Tensor
    mask: Tensor
    blocks: Blocks
    offset: Tensor


class BatchPrior(Prior):
    r"""The prior of a batch of clusters. It brings along what the posterior
    adds to it, as some of that belongs to other processes.

    Args:
        pairs (Pairs): The pairs.
        logits (Tensor): The prior's logits.
        background (float): The probability of all other pairs.
        offset (Tensor): What the posterior adds, in the order of the pieces.
        order (Tensor, optional): Where each pair stands there.
            (default: :obj:`None`, in the same place)
    """

    def __init__(
        self,
        pairs: Pairs,
        logits: Tensor,
        background: float,
        offset: Tensor,
        order: Tensor | None,
    ) -> None:
        super().__init__(pairs, logits, background)
        # In a tuple, as they aren't a part of this module:
        self._offset = (offset, order)

    @property
    def offset(self) -> Tensor:
        r"""What the posterior adds to each pair's logit."""
        offset, order = self._offset
        return offset if order is None else offset[order]


class Batch:
    r"""Some clusters as one graph.

    Args:
        graph (PartitionedGraph): The graph.
        pieces (List[Piece]): What each cluster brings, by ascending cluster.
        device (torch.device): Where to.
        between (Tuple[float, float], optional): How much pairs between two
            clusters count: of one shard, and of two.
            (default: :obj:`(1.0, 1.0)`)
    """

    def __init__(
        self,
        graph: PartitionedGraph,
        pieces: list[Piece],
        device: torch.device,
        between: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        self.pieces = pieces
        self.sizes = [piece.y.numel() for piece in pieces]
        self.x = _stacked([piece.x for piece in pieces]).to(device)
        self.y = torch.cat([piece.y for piece in pieces]).to(device)
        mask = torch.cat([piece.mask for piece in pieces])
        self.nodes = mask.nonzero().view(-1).to(device)
        self.offset = torch.cat([piece.offset for piece in pieces]).to(device)
        self.offset.requires_grad_()
        self.weight: float | Tensor = 1.0
        background = graph.manifest.background
        make = self._dense if graph.manifest.dense else self._sparse
        pairs, logits, order = make(graph, between)
        order = None if order is None else order.to(device)
        self.prior = BatchPrior(
            pairs.to(device), logits.to(device), background, self.offset, order
        )

    def _sparse(
        self, graph: PartitionedGraph, between: tuple[float, float]
    ) -> tuple[Pairs, Tensor, Tensor]:
        num_nodes, start, shard = sum(self.sizes), {}, {}
        position = 0
        for piece, size in zip(self.pieces, self.sizes, strict=True):
            start[piece.cluster] = position
            shard[piece.cluster] = graph.shard_of(piece.cluster)
            position += size
        index, weight = [], []
        for piece in self.pieces:
            blocks, c = piece.blocks, piece.cluster
            shift = torch.empty_like(blocks.other)
            times = torch.empty_like(blocks.logit)
            for other in blocks.other.unique().tolist():
                here = blocks.other == other
                shift[here] = start[other]
                if other == c:
                    times[here] = 1.0
                else:
                    times[here] = between[shard[other] != shard[c]]
            index.append(
                torch.stack([blocks.row + start[c], blocks.col + shift])
            )
            weight.append(times)
        pairs, order = Candidates.sorted_by_key(
            torch.cat(index, dim=1), num_nodes
        )
        logits = torch.cat([piece.blocks.logit for piece in self.pieces])
        if between != (1.0, 1.0):
            self.weight = torch.cat(weight)[order].to(self.y.device)
        return pairs, logits[order], order

    def _dense(
        self, graph: PartitionedGraph, between: tuple[float, float]
    ) -> tuple[Pairs, Tensor, None]:
        absent = logit(graph.manifest.background)
        parts = []
        for piece, size in zip(self.pieces, self.sizes, strict=True):
            blocks = piece.blocks
            logits = torch.full((piece.offset.numel(),), absent)
            # Rows of the upper triangle start where earlier ones have ended:
            row = blocks.row * (2 * size - 1 - blocks.row) // 2
            logits[row + blocks.col - blocks.row - 1] = blocks.logit
            parts.append(logits)
        pairs: Pairs = AllPairs(self.sizes[0])
        if len(parts) > 1:
            label = torch.arange(len(parts))
            label = label.repeat_interleave(torch.tensor(self.sizes))
            pairs = ClusterPairs(label)
        return pairs, torch.cat(parts), None

    def grads(self) -> list[Tensor]:
        r"""The gradient of each piece's offset."""
        assert self.offset.grad is not None
        sizes = [piece.offset.numel() for piece in self.pieces]
        return list(self.offset.grad.cpu().split(sizes))


def _stacked(parts: list[Tensor]) -> Tensor:
    r"""Features one below the other, dense or in compressed rows."""
    if parts[0].layout == torch.strided:
        return torch.cat(parts)
    pointer, shift = [parts[0].crow_indices()[:1]], 0
    for part in parts:
        pointer.append(part.crow_indices()[1:] + shift)
        shift += part.values().numel()
    return torch.sparse_csr_tensor(
        torch.cat(pointer),
        torch.cat([part.col_indices() for part in parts]),
        torch.cat([part.values() for part in parts]),
        (sum(part.size(0) for part in parts), parts[0].size(1)),
        check_invariants=False,
    )
