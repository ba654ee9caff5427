from dataclasses import dataclass

import torch
from torch import Tensor

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.utils import (
    check_edge_index,
    check_kind,
    check_share,
)


@dataclass(frozen=True)
class MovedLinks:
    r"""How far training has moved the probabilities of the links.

    Args:
        prior (Tensor): The prior probabilities :math:`\rho^o_{ij}`, of shape
            :obj:`[P]`.
        posterior (Tensor): The limit posterior probabilities
            :math:`\sigma(\theta_{ij})`, of shape :obj:`[P]`.
        moved (Tensor): Which of them differ by more than :obj:`min_change`.
        added (Tensor): Which links are edges that an attacker has added.
        min_change (float): How far a link must move to count.
    """

    prior: Tensor
    posterior: Tensor
    moved: Tensor
    added: Tensor
    min_change: float

    @property
    def change(self) -> Tensor:
        r"""The differences posterior − prior, of shape :obj:`[P]`."""
        return self.posterior - self.prior

    def __str__(self) -> str:
        return (
            f'{int(self.moved.sum()):,} of {self.moved.numel():,} links '
            f'moved by more than {self.min_change:g}'
        )

    def counts(self) -> dict[str, int]:
        r"""How many links there are, how many have moved, and in which
        direction; how many are likelier than not, by the prior and by the
        posterior; and the same of the added edges.
        """
        above, before = self.posterior >= 0.5, self.prior >= 0.5
        masks = {
            'links': torch.ones_like(self.moved),
            'moved': self.moved,
            'moved_up': self.moved & (self.change > 0),
            'moved_down': self.moved & (self.change < 0),
            'above_half_before': before,
            'above_half': above,
            'added': self.added,
            'added_moved': self.added & self.moved,
            'added_above_half_before': self.added & before,
            'added_above_half': self.added & above,
        }
        return {name: int(mask.sum()) for name, mask in masks.items()}


@torch.no_grad()
def moved_links(
    learner: VariationalGraphLearner,
    min_change: float = 0.02,
    x: Tensor | None = None,
    added_pairs: Tensor | None = None,
) -> MovedLinks:
    r"""Finds the links whose limit probability has moved from the prior

    .. math::
        |\sigma(\theta_{ij}) - \rho^o_{ij}| > \delta.

    Args:
        learner (VariationalGraphLearner): The trained learner.
        min_change (float, optional): The least change :math:`\delta`.
            (default: :obj:`0.02`, the paper's)
        x (Tensor, optional): The features, for posteriors that see them.
            (default: :obj:`None`)
        added_pairs (Tensor, optional): The edges that an attacker has added,
            of shape :obj:`[2, M]`, in either direction.
            (default: :obj:`None`)
    """
    check_kind(learner, VariationalGraphLearner, 'learner')
    min_change = check_share(min_change, 'min_change')
    prior, posterior = learner.prior.probs, learner.edge_probs(x)
    return MovedLinks(
        prior,
        posterior,
        (posterior - prior).abs() > min_change,
        added_among(learner.prior.pairs, added_pairs),
        min_change,
    )


def added_among(pairs: Pairs, added_pairs: Tensor | None) -> Tensor:
    r"""Which of the pairs were added, of shape :obj:`[P]`."""
    none = torch.zeros(len(pairs), dtype=torch.bool, device=pairs.device)
    if added_pairs is None:
        return none
    check_edge_index(added_pairs, pairs.num_nodes, 'added_pairs', empty=True)
    return none if added_pairs.numel() == 0 else pairs.contains(added_pairs)
