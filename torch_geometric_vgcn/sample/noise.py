from dataclasses import dataclass

from torch import Tensor

from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.utils import check_kind, check_tensor


@dataclass
class BackgroundEdges:
    r"""The weighted undirected edges of :math:`S` graphs outside the prior's
    pairs, each once. Places with a weight of zero are empty: they hold no
    edge.
    """

    index: Tensor  # [2, S, M]
    weight: Tensor  # [S, M]

    def __getitem__(self, some: slice) -> 'BackgroundEdges':
        r"""The edges of some of the graphs."""
        return BackgroundEdges(self.index[:, some], self.weight[some])

    def of(self, s: int) -> tuple[Tensor, Tensor]:
        r"""The edges of the :obj:`s`-th graph without empty places: pairs of
        shape :obj:`[2, M]` and their weights.
        """
        there = self.weight[s].nonzero().view(-1)
        return self.index[:, s, there], self.weight[s, there]


@dataclass
class Noise:
    r"""All the randomness of :math:`S` sampled graphs. The same noise gives
    the same graphs, up to the posterior's logits.
    """

    logistic: Tensor  # [S, P], standard logistic
    background: BackgroundEdges | None = None

    def __len__(self) -> int:
        return self.logistic.size(0)

    def __getitem__(self, some: slice) -> 'Noise':
        r"""The randomness of some of the graphs."""
        check_kind(some, slice, 'some')
        edges = self.background
        return Noise(
            self.logistic[some], None if edges is None else edges[some]
        )

    def subset(self, pairs: Pairs) -> 'Noise':
        r"""The randomness of a subset of the pairs, without a background."""
        check_kind(pairs, Pairs, 'pairs')
        if self.background is not None:
            raise ValueError(
                'the noise of background pairs has no subset: draw new noise '
                'for the mini-batch'
            )
        if pairs.position is None:
            raise ValueError(
                "'pairs' must be a subset of the pairs that the noise was "
                'drawn for, got pairs that are no subset'
            )
        return Noise(self.logistic[:, pairs.position])

    def check(self, pairs: Pairs) -> None:
        r"""Raises an error if this isn't noise for :obj:`pairs`."""
        check_tensor(self.logistic, f'[S, {len(pairs)}]', 'noise')
        if self.logistic.dim() != 2 or self.logistic.size(1) != len(pairs):
            raise ValueError(
                f"'noise' must have shape [S, {len(pairs)}], one number per "
                f'graph and pair, got {list(self.logistic.shape)}: draw it '
                "with the learner's method 'noise' for the same prior"
            )
