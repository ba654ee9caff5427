from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import (
    Categorical,
    Objective,
    SemiSupervisedELBO,
    default_objective,
)
from torch_geometric_vgcn.partition.batch import Batch, Piece
from torch_geometric_vgcn.partition.graph import PartitionedGraph
from torch_geometric_vgcn.partition.posterior import OwnedPosterior
from torch_geometric_vgcn.partition.stored_pairs import StoredPairs
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample import BinaryConcrete, Sampler
from torch_geometric_vgcn.utils import (
    check_kind,
    check_path,
    check_share,
    whole_file,
)
from torch_geometric_vgcn.utils.ranks import Ranks


class PartitionedLearner(VariationalGraphLearner):
    r"""A learner of a graph that no process holds: each has the logits of the
    pairs of its own clusters, one per pair, and all have the network.

    With :obj:`torchrun`, make it inside
    :func:`~torch_geometric_vgcn.training.process_group`. Train it with
    :func:`~torch_geometric_vgcn.training.fit_partitioned`.

    Args:
        conv (torch.nn.Module): The PyG conv or model.
        graph (PartitionedGraph): The graph.
        sampler (Sampler, optional): How graphs are drawn, as in
            :class:`VariationalGraphLearner`. (default: :obj:`None`)
        objective (Objective, optional): The bound to maximise.
            :class:`SemiSupervisedELBO` is refused: it counts labels, of which
            a process sees its own. (default:
            :func:`~torch_geometric_vgcn.objective.default_objective`)
        likelihood (Categorical, optional): The likelihood of the labels.
            (default: :obj:`None`)
    """

    posterior: OwnedPosterior

    def __init__(
        self,
        conv: Module,
        graph: PartitionedGraph,
        sampler: Sampler | None = None,
        objective: Objective | None = None,
        likelihood: Categorical | None = None,
    ) -> None:
        check_kind(graph, PartitionedGraph, 'graph')
        if likelihood is not None:
            check_kind(likelihood, Categorical, 'likelihood')
        if sampler is None:
            sampler = BinaryConcrete()
        check_kind(sampler, Sampler, 'sampler')
        if objective is None:
            objective = default_objective(sampler)
        if isinstance(objective, SemiSupervisedELBO):
            raise ValueError(
                "'objective' of a PartitionedLearner must not be a "
                'SemiSupervisedELBO, which counts the labels of all nodes: '
                'give it ELBO or IWELBO'
            )
        ranks = Ranks.of_group()
        shards = graph.shards_of(ranks)
        manifest = graph.manifest
        pairs = StoredPairs(graph.num_nodes, not manifest.dense)
        prior = Prior(pairs, torch.empty(0), manifest.background)
        posterior = OwnedPosterior(graph, shards)
        super().__init__(
            conv, prior, posterior, sampler, objective, likelihood
        )
        self.graph = graph
        self.ranks = ranks
        self.shards = shards

    def _prior(self, prior: Prior | None) -> Prior:
        if prior is None:
            raise ValueError(
                'a PartitionedLearner has no graph of all nodes: give '
                "'prior' of a batch, or use predict_partitioned"
            )
        return super()._prior(prior)

    @torch.no_grad()
    def piece(
        self, c: int, clusters: list[int] | None, mask: str = 'train'
    ) -> Piece:
        r"""What an own cluster brings to a batch of some clusters, or with
        all its pairs.
        """
        cluster, graph = self.graph.cluster(c), self.graph
        offset = self.posterior.of_shard(graph.shard_of(c)).detach().cpu()
        start = graph.pairs_before(c)
        own = offset[start : start + graph.manifest.pairs[c]]
        blocks = cluster.blocks(clusters)
        if not graph.manifest.dense:
            own = own[blocks.place]
        return Piece(
            c, cluster.x, cluster.y, getattr(cluster, mask), blocks, own
        )

    def places(self, piece: Piece) -> Tensor:
        r"""Where the pairs of a piece stand among those of its shard."""
        start = self.graph.pairs_before(piece.cluster)
        if self.graph.manifest.dense:
            return torch.arange(start, start + piece.offset.numel())
        return start + piece.blocks.place

    def batch(
        self,
        clusters: list[int],
        mask: str = 'train',
        between: tuple[float, float] = (1.0, 1.0),
    ) -> Batch:
        r"""A batch of own clusters."""
        pieces = [self.piece(c, clusters, mask) for c in sorted(clusters)]
        return Batch(self.graph, pieces, self.device, between)

    @property
    def device(self) -> torch.device:
        return self.prior.logits.device

    @torch.no_grad()
    def learned_graph(  # type: ignore[override]
        self,
        threshold: float = 0.5,
        folder: str | Path | None = None,
        gather: bool = False,
    ) -> Data:
        r"""The edges whose probability is at least :obj:`threshold`, as
        :meth:`VariationalGraphLearner.learned_graph` gives them: those of
        the pairs that this process owns.

        Args:
            threshold (float, optional): The least probability.
                (default: :obj:`0.5`)
            folder (str or Path, optional): A folder to which each process
                writes its edges, one direction each, for each cluster two
                files :obj:`edge_index-*.npy` and :obj:`edge_prob-*.npy`. Then
                none are returned. (default: :obj:`None`)
            gather (bool, optional): If set to :obj:`True`, all processes get
                the edges of all. (default: :obj:`False`)
        """
        check_share(threshold, 'threshold')
        if folder is not None:
            folder = check_path(folder, 'folder')
            folder.mkdir(parents=True, exist_ok=True)
        found: list[tuple[Tensor, Tensor]] = []
        for shard in self.shards:
            for c in self.graph.clusters_of(shard):
                index, prob = self._learned(c, threshold)
                if folder is None:
                    found.append((index, prob))
                    continue
                for name, value in (('index', index), ('prob', prob)):
                    path = folder / f'edge_{name}-{c:06d}.npy'
                    with whole_file(path) as file:
                        np.save(file, value.numpy(), allow_pickle=False)
        index = torch.cat(
            [torch.empty(2, 0).long(), *(i for i, _ in found)], 1
        )
        prob = torch.cat([torch.empty(0), *(p for _, p in found)])
        if gather:
            index = self.ranks.joined(index.t().contiguous()).t()
            prob = self.ranks.joined(prob)
        return Data(
            edge_index=torch.cat([index, index.flip(0)], dim=1),
            edge_prob=torch.cat([prob, prob]),
            num_nodes=self.graph.num_nodes,
        )

    def _learned(self, c: int, threshold: float) -> tuple[Tensor, Tensor]:
        r"""The edges that a cluster owns, by ids in the whole graph, and
        their probabilities.
        """
        piece, cluster = self.piece(c, None), self.graph.cluster(c)
        node, blocks = cluster.node, piece.blocks
        if self.graph.manifest.dense:
            batch = Batch(self.graph, [piece], torch.device('cpu'))
            prob = (batch.prior.logits + batch.prior.offset).sigmoid()
            kept = (prob >= threshold).nonzero().view(-1)
            return node[batch.prior.pairs.index[:, kept]], prob[kept]
        prob = (blocks.logit + piece.offset).sigmoid()
        kept = (prob >= threshold).nonzero().view(-1)
        index = [node[blocks.row[kept]], cluster.col_node[kept]]
        return torch.stack(index).sort(dim=0).values, prob[kept]
