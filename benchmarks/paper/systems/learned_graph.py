from dataclasses import dataclass

import torch
from torch import Tensor

from torch_geometric_vgcn import VariationalGraphLearner


@dataclass
class LearnedGraph:
    r"""What a learner believes of its node pairs, before and after training.

    Args:
        index (Tensor): The pairs, of shape :obj:`[2, P]`.
        prior (Tensor): Their prior edge probabilities, of shape :obj:`[P]`.
        posterior (Tensor): Their posterior edge probabilities, of shape
            :obj:`[P]`.
    """

    index: Tensor
    prior: Tensor
    posterior: Tensor

    @classmethod
    @torch.no_grad()
    def of(cls, learner: VariationalGraphLearner, x: Tensor) -> 'LearnedGraph':
        prior = learner.prior
        # In double precision, where high logits aren't all probability one:
        return cls(
            prior.pairs.index,
            prior.logits.double().sigmoid(),
            learner.posterior(prior, x).double().sigmoid(),
        )
