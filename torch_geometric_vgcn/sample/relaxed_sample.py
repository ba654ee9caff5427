from dataclasses import dataclass

from torch import Tensor

from torch_geometric_vgcn.sample.graph_sample import GraphSample


@dataclass(eq=False, kw_only=True)
class RelaxedSample(GraphSample):
    r"""Graphs with weights :math:`A = \sigma(B)` in :math:`(0, 1)`,
    :math:`B = (\theta + L) / \tau`.

    Args:
        logistic (Tensor): The noise :math:`L`, of shape :obj:`[S, P]`.
        temperature (float): The temperature :math:`\tau`.
    """

    logistic: Tensor
    temperature: float

    @property
    def relaxed(self) -> Tensor:
        r"""The logits :math:`B` of the weights, of shape :obj:`[S, P]`."""
        return (self.logits + self.logistic) / self.temperature
