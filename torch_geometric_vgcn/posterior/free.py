import torch
from torch import Tensor
from torch.nn import Parameter

from torch_geometric_vgcn.posterior.base import Posterior
from torch_geometric_vgcn.prior import Prior


class FreePosterior(Posterior):
    r"""One free logit a pair,
    :math:`\theta_{ij} = \theta^o_{ij} + \delta_{ij}`: the paper's free
    parametrisation. It starts at :math:`\delta = 0`.
    """

    offset: Parameter

    def start_at(self, prior: Prior) -> None:
        self.offset = Parameter(torch.zeros_like(prior.logits))

    def forward(self, prior: Prior, x: Tensor | None = None) -> Tensor:
        position = prior.pairs.position
        offset = self.offset if position is None else self.offset[position]
        if offset.shape != prior.logits.shape:
            raise ValueError(
                f'FreePosterior has a logit for each of {offset.numel()} '
                f'pairs and no others, got a prior of {len(prior.pairs)} '
                'pairs: use AmortizedPosterior for unseen nodes'
            )
        return prior.logits + offset
