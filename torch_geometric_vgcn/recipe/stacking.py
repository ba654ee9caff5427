r"""Weights of members by the probabilities that they gave to held-out
labels.
"""

import torch
from torch import Tensor
from torch.nn.functional import normalize

from torch_geometric_vgcn.analysis import best_temperature

#: How many labels the prior of the weights, which is uniform, counts as: with
#: few labels, weights stay near to each other, which did better than any
#: choice by them.
STRENGTH = 3.0
#: Weights below this become zero.
LEAST = 0.05
STEPS, TOLERANCE = 500, 1e-6


def tempered(prob: Tensor, temperature: float) -> Tensor:
    r"""Class probabilities :math:`p' \propto p^{1/T}`."""
    tiny = torch.finfo(prob.dtype).tiny
    return (prob.clamp(min=tiny).log() / temperature).softmax(dim=-1)


def temperature_of(held_out: Tensor, label: Tensor) -> float:
    r"""The temperature with which held-out labels are most likely."""
    if label.numel() == 0:
        return 1.0
    every = torch.arange(label.numel(), device=label.device)
    return best_temperature(held_out, label, every)


def stack(
    likelihood: Tensor,
    count: Tensor | None = None,
    strength: float = STRENGTH,
    steps: int = STEPS,
) -> Tensor:
    r"""The weights :math:`\mathbf{w}` that maximise

    .. math::
        \sum_n \log \sum_m w_m \, p_m(y_n) + \frac{k}{M} \sum_m \log w_m,

    the likelihood of held-out labels under the mixture of all members with a
    uniform prior that counts as :math:`k` labels, by EM. It is concave.

    Args:
        likelihood (Tensor): The probabilities :math:`p_m(y_n)`, of shape
            :obj:`[n, M]`.
        count (Tensor, optional): How often each label counts, of shape
            :obj:`[B, n]` for several runs at once. (default: once)
        strength (float, optional): The number :math:`k`.
            (default: :obj:`3.0`)
        steps (int, optional): The most steps to take.
            (default: :obj:`500`)

    Returns:
        The weights, of shape :obj:`[M]`, or :obj:`[B, M]`.
    """
    likelihood = likelihood.double().clamp(min=1e-12)
    n, size = likelihood.shape
    count = likelihood.new_ones(n) if count is None else count
    weight = likelihood.new_full((*count.shape[:-1], size), 1 / size)
    for _ in range(steps):
        mixture = weight @ likelihood.t()
        taken = weight * ((count / mixture) @ likelihood)
        new = normalize(taken + strength / size, p=1, dim=-1)
        change = float((new - weight).abs().max())
        weight = new
        if change < TOLERANCE:
            break
    return weight


def pruned(weight: Tensor, least: float = LEAST) -> Tensor:
    r"""The weights without the small ones: a weight of zero costs nothing
    when the model is used.
    """
    kept = weight.where(weight >= least, 0.0)
    if not bool(kept.any()):
        kept = weight
    return normalize(kept, p=1, dim=-1)


def uncertainty(
    likelihood: Tensor,
    generator: torch.Generator,
    runs: int = 200,
) -> Tensor:
    r"""The standard error of each weight: how much it varies if as many
    held-out labels are drawn again from those (the bootstrap).
    """
    n, size = likelihood.shape
    if n == 0:
        return likelihood.new_full((size,), float('nan'))
    runs = max(20, min(runs, 2**24 // (n * size)))
    drawn = torch.randint(n, (runs, n), generator=generator)
    count = torch.zeros(runs, n, dtype=torch.double)
    count.scatter_add_(1, drawn, torch.ones_like(count))
    weight = stack(likelihood, count.to(likelihood.device))
    return torch.stack([pruned(w) for w in weight]).std(dim=0)
