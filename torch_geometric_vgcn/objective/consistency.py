import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from torch_geometric_vgcn.checks import (
    check_count,
    check_nonnegative,
    check_positive,
)
from torch_geometric_vgcn.objective.term import Term


class Consistency(Term):
    r"""Lets a node without a label have the same class on all sampled graphs

    .. math::
        \min(1, t / t_w) \, \frac{w}{n S} \sum_n \sum_{s=1}^S \sum_c
        -q_{nc} \log p_{nc}^{(s)}, \quad
        q_{nc} \propto \Big( \frac{1}{S} \sum_s p_{nc}^{(s)} \Big)^{1/T},

    where :math:`\mathbf{p}^{(s)}` are the class probabilities on the
    :math:`s`-th graph, :math:`\mathbf{q}` is their sharpened mean, which is
    taken as given, and :math:`t` is the number of calls in training mode.
    From the `"Graph Random Neural Network for Semi-Supervised Learning on
    Graphs" <https://arxiv.org/abs/2005.11079>`_ paper, where graphs differ by
    dropped nodes.

    Args:
        weight (float, optional): The weight :math:`w`. (default: :obj:`1.0`)
        temperature (float, optional): The temperature :math:`T`, below one to
            sharpen. (default: :obj:`0.5`)
        warmup (int, optional): After how many calls :math:`t_w` the term has
            its full weight. Predictions of the first epochs are no guide, and
            a run may collapse to one class without it. (default: :obj:`100`)
    """

    step: Tensor

    def __init__(
        self,
        weight: float = 1.0,
        temperature: float = 0.5,
        warmup: int = 100,
    ) -> None:
        super().__init__()
        self.weight = check_nonnegative(weight, 'weight')
        self.temperature = check_positive(temperature, 'temperature')
        self.warmup = check_count(warmup, 'warmup')
        self.register_buffer('step', torch.zeros(()))

    def reset_parameters(self) -> None:
        r"""Starts the warm-up again."""
        self.step.zero_()

    def loss(self, out: Tensor) -> Tensor:
        log_prob = log_softmax(out, dim=-1)
        target = log_prob.detach().exp().mean(dim=0)
        target = target.pow(1 / self.temperature)
        target = target / target.sum(dim=-1, keepdim=True)
        share = self.step / max(1, self.warmup)
        if self.training:
            self.step += 1
        loss = -(target * log_prob).sum(dim=-1)
        # A mean of nothing is zero:
        mean = loss.sum() / max(1, loss.numel())
        return self.weight * share.clamp(max=1.0).to(mean) * mean

    def extra_repr(self) -> str:
        return (
            f'weight={self.weight:.3g}, temperature={self.temperature:.3g}, '
            f'warmup={self.warmup}'
        )
