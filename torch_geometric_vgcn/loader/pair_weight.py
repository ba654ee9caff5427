import torch
from torch import Tensor
from torch.nn import Module
from torch.utils.data import (
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
)
from torch_geometric.loader import ClusterLoader

from torch_geometric_vgcn.loader.cluster import ClusterData
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.utils import check_count, check_kind


class PairWeight(Module):
    r"""How much each pair of a batch of clusters counts in the divergence, so
    that the sum over an epoch has the right mean

    .. math::
        w_{ij} = \begin{cases}
        1 & \text{inside a cluster} \\
        \frac{M (M - 1)}{\sum_b m_b (m_b - 1)} & \text{between two,}
        \end{cases}

    for :math:`M` clusters in shuffled batches of :math:`m_b`. A pair inside a
    cluster is in one batch each epoch; one between two clusters only when
    they meet, with the probability :math:`1 / w_{ij}`.

    Where batches aren't shuffled they are always the same: all their pairs
    count once, and the others stay as the prior has them, with no divergence.

    .. note::
        The likelihood isn't corrected. As in Cluster-GCN, a node doesn't see
        its neighbours in clusters outside the batch, so that its
        log-likelihood is a biased estimate of that in the whole graph.
        With :class:`~torch_geometric_vgcn.pairs.ClusterPairs` there are no
        such neighbours.

    Args:
        loader (torch_geometric.loader.ClusterLoader): The loader of batches,
            over :class:`ClusterData`.
    """

    cluster: Tensor

    def __init__(self, loader: ClusterLoader) -> None:
        super().__init__()
        if not isinstance(loader, ClusterLoader) or not isinstance(
            loader.cluster_data, ClusterData
        ):
            raise TypeError(
                "'loader' must be a ClusterLoader over "
                'torch_geometric_vgcn.loader.ClusterData, '
                f'got {type(loader).__name__}'
            )
        sampler = loader.sampler
        random = isinstance(sampler, (RandomSampler, SubsetRandomSampler))
        if (
            loader.batch_size is None
            or not (random or isinstance(sampler, SequentialSampler))
            or getattr(sampler, 'replacement', False)
            or loader.drop_last
        ):
            raise ValueError(
                "'loader' must have each of its clusters in one batch per "
                f'epoch, got {type(sampler).__name__}, '
                f'batch_size={loader.batch_size}, '
                f'drop_last={loader.drop_last}'
            )
        cluster = loader.cluster_data.cluster
        self.register_buffer('cluster', cluster, persistent=False)
        num, size = len(sampler), loader.batch_size
        full, rest = divmod(num, size)
        meetings = full * size * (size - 1) + rest * (rest - 1)
        self.between = 1.0
        if random and meetings > 0:
            self.between = num * (num - 1) / meetings

    def forward(self, prior: Prior) -> float | Tensor:
        r"""The weights of the pairs of a batch's prior, of shape
        :obj:`[P]`, or one for all.
        """
        check_kind(prior, Prior, 'prior')
        pairs = prior.pairs
        if self.between == 1 or not pairs.has_background:
            return 1.0
        if pairs.node_id is None:
            return 1.0  # the whole graph
        num_nodes = self.cluster.numel()
        if int(pairs.node_id.max()) >= num_nodes:
            raise ValueError(
                "'prior' must be a subset of the prior of the loader's "
                f'{num_nodes} nodes, got node {int(pairs.node_id.max())}'
            )
        cluster = self.cluster.to(pairs.device)[pairs.node_id]
        row, col = cluster[pairs.index]
        weight = torch.ones_like(prior.logits)
        return weight.masked_fill_(row != col, self.between)

    def extra_repr(self) -> str:
        return f'between={self.between:.3g}'


class SampledPairWeight(Module):
    r"""How much each pair of a batch of a
    :class:`~torch_geometric.loader.NeighborLoader` counts in the divergence,
    so that each counts once per epoch, however often it is sampled

    .. math::
        w_{ij} = \frac{t}{B \, n_{ij}},

    for a pair that was in :math:`n_{ij}` of the first :math:`t` batches, of
    which an epoch has :math:`B`. Pairs that are never sampled have no
    divergence: they stay as the prior has them.

    Args:
        prior (Prior): The prior of all nodes.
        num_batches (int): The number :math:`B` of batches per epoch.
    """

    count: Tensor
    step: Tensor

    def __init__(self, prior: Prior, num_batches: int) -> None:
        super().__init__()
        check_kind(prior, Prior, 'prior')
        self.num_batches = check_count(num_batches, 'num_batches', least=1)
        size, device = len(prior.pairs.whole), prior.pairs.device
        count = torch.zeros(size, dtype=torch.int32, device=device)
        self.register_buffer('count', count)
        self.register_buffer('step', torch.zeros((), dtype=torch.long))

    def forward(self, prior: Prior) -> Tensor:
        r"""The weights of the pairs of the next batch's prior, of shape
        :obj:`[P]`.
        """
        check_kind(prior, Prior, 'prior')
        pairs = prior.pairs
        if len(pairs.whole) != self.count.numel():
            raise ValueError(
                "'prior' must be a subset of the prior of all nodes, with its "
                f'{self.count.numel()} pairs, got one of {len(pairs.whole)}'
            )
        # Without positions, it is that of all nodes:
        place = slice(None) if pairs.position is None else pairs.position
        self.step += 1
        count = self.count[place] + 1
        self.count[place] = count
        weight = self.step.to(count.device) / (self.num_batches * count)
        return weight.to(prior.logits.dtype)

    def extra_repr(self) -> str:
        return f'num_batches={self.num_batches}'
