import torch
from torch import Tensor
from torch.nn.functional import log_softmax, one_hot

from torch_geometric_vgcn.checks import (
    check_count,
    check_nonnegative,
    check_positive,
)
from torch_geometric_vgcn.objective.term import Term


class Consistency(Term):
    r"""Lets a node without a label have the same class on all sampled graphs

    .. math::
        w \min(1, t / t_w) \, \frac{1}{n S} \sum_n \sum_{s=1}^S \sum_c
        -q_{nc} \log p_{nc}^{(s)}, \quad
        q_{nc} \propto \frac{\pi_c}{\bar{q}_c}\, \tilde{q}_{nc}, \quad
        \tilde{q}_{nc} \propto \Big( \frac{1}{S} \sum_s p_{nc}^{(s)}
        \Big)^{1/T},

    where :math:`\mathbf{p}^{(s)}` are the class probabilities of the :math:`n`
    nodes without a label on the :math:`s`-th graph, and the target
    :math:`\mathbf{q}`, which is taken as given, is their sharpened mean, in
    which each class is as frequent as among the labels: :math:`\pi` are the
    classes' shares there (counted over all calls, with one more label for each
    class), and :math:`\bar{\mathbf{q}}` is the mean of
    :math:`\tilde{\mathbf{q}}` over nodes. Without this,
    frequent classes absorb the others where the graph is wrong.

    Consistency over random graphs is from the `"Graph Random Neural Networks
    for Semi-Supervised Learning on Graphs" <https://arxiv.org/abs/2005.11079>`_
    paper, the alignment of classes from the `"ReMixMatch"
    <https://arxiv.org/abs/1911.09785>`_ paper.

    Args:
        num_classes (int): The number of classes :math:`C`.
        weight (float, optional): The weight :math:`w`. (default: :obj:`1.0`)
        temperature (float, optional): The temperature :math:`T`, below one to
            sharpen. (default: :obj:`0.5`)
        warmup (int, optional): After how many calls in training mode
            :math:`t_w` the term has its full weight, as first predictions are
            no guide. (default: :obj:`50`)
    """

    step: Tensor
    count: Tensor

    def __init__(
        self,
        num_classes: int,
        weight: float = 1.0,
        temperature: float = 0.5,
        warmup: int = 50,
    ) -> None:
        super().__init__()
        self.num_classes = check_count(num_classes, 'num_classes', least=2)
        self.weight = check_nonnegative(weight, 'weight')
        self.temperature = check_positive(temperature, 'temperature')
        self.warmup = check_count(warmup, 'warmup')
        self.register_buffer('step', torch.zeros(()))
        # Of labels of each class, in all mini-batches so far:
        self.register_buffer('count', torch.zeros(self.num_classes))

    def reset_parameters(self) -> None:
        self.step.zero_()
        self.count.zero_()

    @property
    def settled(self) -> bool:
        return float(self.step) >= self.warmup

    def loss(self, out: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        if out.size(-1) != self.num_classes:
            raise ValueError(
                f"'out' must have {self.num_classes} columns, the number of "
                f'classes of Consistency, got {out.size(-1)}'
            )
        labelled = out.new_zeros(out.size(1), dtype=torch.bool)
        labelled[mask] = True
        share = (self.step / max(1, self.warmup)).clamp(max=1.0)
        count = self.count + one_hot(y[labelled], self.num_classes).sum(dim=0)
        if self.training:
            self.step += 1
            self.count.copy_(count)
        log_prob = log_softmax(out[:, ~labelled], dim=-1)
        if log_prob.size(1) == 0:
            return out.sum() * 0  # all are labelled
        target = self._target(log_prob.detach().exp().mean(dim=0), count)
        mean = -(target * log_prob).sum(dim=-1).mean()
        return self.weight * share.to(mean) * mean

    def _target(self, prob: Tensor, count: Tensor) -> Tensor:
        target = _normalized(prob.pow(1 / self.temperature))
        wanted = (count + 1).to(prob)
        mean = target.mean(dim=0).clamp(min=1e-6)
        return _normalized(target * wanted / mean)

    def extra_repr(self) -> str:
        return (
            f'num_classes={self.num_classes}, weight={self.weight:.3g}, '
            f'temperature={self.temperature:.3g}, warmup={self.warmup}'
        )


def _normalized(prob: Tensor) -> Tensor:
    return prob / prob.sum(dim=-1, keepdim=True)
