r"""The weights of members, and what they come from."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.distributions import Normal

from torch_geometric_vgcn.recipe.run import Run, held_out_of, held_out_prob
from torch_geometric_vgcn.recipe.stacking import (
    pruned,
    stack,
    temperature_of,
    tempered,
    uncertainty,
)
from torch_geometric_vgcn.training import evaluate

NAN = float('nan')


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
    temperature, likelihood, accuracy, nll = judge(held, label)
    weight = pruned(stack(likelihood)).tolist()
    weight_se = uncertainty(likelihood, generator).tolist()
    seconds = [sum(run.seconds for run in each) for each in runs.values()]
    columns = accuracy, nll, weight, weight_se, seconds, temperature
    scores = [Score(*row) for row in zip(*columns, strict=True)]
    return dict(zip(runs, scores, strict=True))


Judged = tuple[list[float], Tensor, list[float], list[float]]


def _of_classes(held: list[Tensor], label: Tensor) -> Judged:
    r"""Temperatures, the probabilities of the labels, of shape :obj:`[n, M]`,
    accuracies and mean negative log-likelihoods.
    """
    every = torch.arange(label.numel(), device=label.device)
    temperature = [temperature_of(prob, label) for prob in held]
    held = [tempered(p, t) for p, t in zip(held, temperature, strict=True)]
    likelihood = torch.stack([prob[every, label] for prob in held], dim=1)
    found = [
        evaluate(prob, label, every) if label.numel() > 0 else (NAN, NAN)
        for prob in held
    ]
    return (
        temperature,
        likelihood,
        [a for a, _ in found],
        [n for _, n in found],
    )


def _of_quantities(held: list[Tensor], value: Tensor) -> Judged:
    r"""The variances of errors, the densities of the values, each :math:`R^2`
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
    return noise.tolist(), ratio.t(), (1 - lost).tolist(), nll.tolist()


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
