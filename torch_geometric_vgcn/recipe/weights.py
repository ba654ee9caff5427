r"""The weights of members, by the probabilities that they gave to held-out
labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.distributions import Normal
from torch.nn.functional import normalize

from torch_geometric_vgcn.analysis import best_temperature
from torch_geometric_vgcn.recipe.run import Run, held_out_of, held_out_prob
from torch_geometric_vgcn.training import evaluate

NAN = float('nan')
#: How many labels the prior of the weights, which is uniform, counts as: with
#: few labels, weights stay near to each other, which did better than any
#: choice by them.
STRENGTH = 3.0
#: Weights below this become zero.
LEAST = 0.05
STEPS, TOLERANCE = 500, 1e-6


@dataclass
class Score:
    r"""What held-out labels say of a member.

    Args:
        accuracy (float): The accuracy, or the :math:`R^2` of quantities.
        nll (float): The mean negative log-likelihood.
        weight (float): The weight; those of all members sum to one.
        weight_se (float): Its standard error.
        seconds (float): How long training took.
        temperature (float): The temperature of its probabilities, or the
            variance of its errors.
    """

    accuracy: float = NAN
    nll: float = NAN
    weight: float = 0.0
    weight_se: float = NAN
    seconds: float = 0.0
    temperature: float = NAN


def scores_of(
    runs: dict[str, list[Run]], y: Tensor, generator: torch.Generator
) -> dict[str, Score]:
    r"""Weighs members by the labels :obj:`y` of the nodes by which all of them
    are judged.
    """
    nodes = held_out_of(runs.values())
    label = y[nodes]
    held = [held_out_prob(each, nodes) for each in runs.values()]
    judge = _of_quantities if label.is_floating_point() else _of_classes
    likelihood, *columns = judge(held, label)
    weight = pruned(stack(likelihood)).tolist()
    weight_se = uncertainty(likelihood, generator).tolist()
    seconds = [sum(run.seconds for run in each) for each in runs.values()]
    temperature, accuracy, nll = columns
    rows = zip(
        accuracy, nll, weight, weight_se, seconds, temperature, strict=True
    )
    return {n: Score(*row) for n, row in zip(runs, rows, strict=True)}


Judged = tuple[Tensor, list[float], list[float], list[float]]


def _of_classes(held: list[Tensor], label: Tensor) -> Judged:
    r"""The probabilities of the labels, of shape :obj:`[n, M]`, temperatures,
    accuracies and mean negative log-likelihoods.
    """
    every = torch.arange(label.numel(), device=label.device)
    temperature = [temperature_of(prob, label) for prob in held]
    held = [tempered(p, t) for p, t in zip(held, temperature, strict=True)]
    likelihood = torch.stack([prob[every, label] for prob in held], dim=1)
    found = [(NAN, NAN)] * len(held)
    if label.numel() > 0:
        found = [evaluate(prob, label, every) for prob in held]
    accuracy, nll = zip(*found, strict=True)
    return likelihood, temperature, list(accuracy), list(nll)


def _of_quantities(held: list[Tensor], value: Tensor) -> Judged:
    r"""The densities of the values, the variances of errors, each :math:`R^2`
    and mean negative log-density.
    """
    error = value.double() - torch.cat(held, dim=1).t().double()
    noise = error.square().mean(dim=1).clamp(min=1e-12)
    log_density = Normal(0.0, noise.sqrt().unsqueeze(1)).log_prob(error)
    total = value.double().var(correction=0)
    # Of values that are alike, nothing can be explained:
    lost = noise / total if total > 1e-12 else torch.ones_like(noise)
    # Only ratios between members count:
    ratio = (log_density - log_density.amax(dim=0)).exp()
    nll = -log_density.mean(dim=1)
    return ratio.t(), noise.tolist(), (1 - lost).tolist(), nll.tolist()


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
    likelihood: Tensor, count: Tensor | None = None, steps: int = STEPS
) -> Tensor:
    r"""The weights :math:`\mathbf{w}` that maximise

    .. math::
        \sum_n \log \sum_m w_m \, p_m(y_n) + \frac{k}{M} \sum_m \log w_m,

    the likelihood of held-out labels under the mixture of all members with a
    uniform prior that counts as :math:`k = 3` labels, by EM. It is concave.

    Args:
        likelihood (Tensor): The probabilities :math:`p_m(y_n)`, of shape
            :obj:`[n, M]`.
        count (Tensor, optional): How often each label counts, of shape
            :obj:`[B, n]` for several runs at once. (default: once)
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
        new = normalize(taken + STRENGTH / size, p=1, dim=-1)
        change = float((new - weight).abs().max())
        weight = new
        if change < TOLERANCE:
            break
    return weight


def pruned(weight: Tensor) -> Tensor:
    r"""The weights without the small ones: a weight of zero costs nothing
    when the model is used.
    """
    kept = weight.where(weight >= LEAST, 0.0)
    if not bool(kept.any()):
        kept = weight
    return normalize(kept, p=1, dim=-1)


def uncertainty(likelihood: Tensor, generator: torch.Generator) -> Tensor:
    r"""The standard error of each weight: how much it varies if as many
    held-out labels are drawn again from those (the bootstrap).
    """
    n, size = likelihood.shape
    if n == 0:
        return likelihood.new_full((size,), NAN)
    runs = max(20, min(200, 2**24 // (n * size)))
    drawn = torch.randint(n, (runs, n), generator=generator)
    count = torch.zeros(runs, n, dtype=torch.double)
    count.scatter_add_(1, drawn, torch.ones_like(count))
    weight = stack(likelihood, count.to(likelihood.device))
    return torch.stack([pruned(w) for w in weight]).std(dim=0)


def weighted_mean(
    prob: dict[str, Tensor], scores: dict[str, Score], quantity: bool = False
) -> Tensor:
    r"""The mean of members' class probabilities, tempered, or of what they
    expect. If only some members are there, they share the weight.
    """
    here = {name: s for name, s in scores.items() if name in prob}
    total = sum(score.weight for score in here.values())
    parts = []
    for name, score in here.items():
        weight = score.weight / total if total > 0 else 1 / len(prob)
        if weight > 0:
            found = prob[name]
            if not quantity:
                found = tempered(found, score.temperature)
            parts.append(weight * found)
    return torch.stack(parts).sum(dim=0)


def ranked(
    scores: dict[str, Score], left_out: Sequence[str] = ()
) -> dict[str, list]:
    r"""The columns of a table, with the highest weights first, and last of all
    members that weren't trained.
    """
    order = sorted(scores, key=lambda n: (-scores[n].weight, scores[n].nll, n))
    rows = [scores[name] for name in order] + [Score()] * len(left_out)
    columns: dict[str, list] = {'member': [*order, *left_out]}
    for name in ('accuracy', 'nll', 'weight', 'weight_se', 'seconds'):
        columns[name] = [getattr(score, name) for score in rows]
    return columns
