from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.distributions import Normal

from torch_geometric_vgcn.recipe.held_out import Trained
from torch_geometric_vgcn.recipe.members import Member
from torch_geometric_vgcn.recipe.stacking import (
    pruned,
    stack,
    temperature_of,
    tempered,
    uncertainty,
)
from torch_geometric_vgcn.training import evaluate


@dataclass
class Weights:
    r"""The weights of members and what they come from, one entry for each
    member.

    Args:
        name (List[str]): The names.
        weight (List[float]): The weights, which sum to one.
        weight_se (List[float]): Their standard errors.
        temperature (List[float]): The temperatures.
        accuracy (List[float]): The accuracies on held-out labels.
        nll (List[float]): The mean negative log-likelihoods of held-out
            labels.
        seconds (List[float]): How long training took.
    """

    name: list[str]
    weight: list[float]
    weight_se: list[float]
    temperature: list[float]
    accuracy: list[float]
    nll: list[float]
    seconds: list[float]
    quantity: bool = False

    def mean(self, prob: dict[str, Tensor]) -> Tensor:
        r"""The mean of members' class probabilities, tempered, or of what
        they expect. If only some members are there, they share the weight.
        """
        here = [name in prob for name in self.name]
        total = sum(w for w, h in zip(self.weight, here, strict=True) if h)
        rows = zip(self.name, self.weight, self.temperature, strict=True)
        parts = []
        for name, weight, temperature in rows:
            if name in prob:
                weight = weight / total if total > 0 else 1 / len(prob)
                if weight > 0:
                    found = prob[name]
                    if not self.quantity:
                        found = tempered(found, temperature)
                    parts.append(weight * found)
        return torch.stack(parts).sum(dim=0)

    @property
    def weights(self) -> dict[str, float]:
        r"""The weight of each name."""
        return dict(zip(self.name, self.weight, strict=True))

    def columns(self) -> dict[str, list]:
        r"""The columns of a table, with the highest weights first."""
        order = sorted(
            range(len(self.name)),
            key=lambda m: (-self.weight[m], self.nll[m], self.name[m]),
        )
        keys = ('accuracy', 'nll', 'weight', 'weight_se', 'seconds')
        columns: dict[str, list[Any]] = {
            'member': [self.name[m] for m in order]
        }
        for key in keys:
            columns[key] = [getattr(self, key)[m] for m in order]
        return columns


def weights_of(
    members: list[Member],
    trained: dict[str, Trained],
    label: Tensor,
    generator: torch.Generator,
    rows: Tensor | None = None,
) -> Weights:
    r"""Weighs members by the held-out labels :obj:`label`, or only those that
    :obj:`rows` selects.
    """
    parts = [trained[member.name] for member in members]
    unseen = [part.held_out for part in parts]
    if rows is not None and bool(rows.any()):
        label, unseen = label[rows], [prob[rows] for prob in unseen]
    every = torch.arange(label.numel(), device=label.device)
    quantity = label.is_floating_point()
    if quantity:
        temperature, likelihood, scores = _of_quantities(unseen, label)
    else:
        temperature = [temperature_of(prob, label) for prob in unseen]
        held_out = [
            tempered(prob, t)
            for prob, t in zip(unseen, temperature, strict=True)
        ]
        likelihood = torch.stack([p[every, label] for p in held_out], dim=1)
        none = (float('nan'), float('nan'))
        scores = [
            evaluate(p, label, every) if label.numel() > 0 else none
            for p in held_out
        ]
    return Weights(
        name=[member.name for member in members],
        weight=pruned(stack(likelihood)).tolist(),
        weight_se=uncertainty(likelihood, generator).tolist(),
        temperature=temperature,
        accuracy=[accuracy for accuracy, _ in scores],
        nll=[nll for _, nll in scores],
        seconds=[part.seconds for part in parts],
        quantity=quantity,
    )


def _of_quantities(
    expected: list[Tensor], value: Tensor
) -> tuple[list[float], Tensor, list[tuple[float, float]]]:
    r"""The variances of the errors, the densities of the values, and for each
    member :math:`R^2` and mean negative log-density.
    """
    error = value.double() - torch.cat(expected, dim=1).t().double()
    noise = error.square().mean(dim=1).clamp(min=1e-12)
    log_density = Normal(0.0, noise.sqrt().unsqueeze(1)).log_prob(error)
    total = value.double().var(correction=0)
    # Of values that are alike, nothing can be explained:
    lost = noise / total if total > 1e-12 else torch.ones_like(noise)
    scores = list(
        zip(
            (1 - lost).tolist(),
            (-log_density.mean(dim=1)).tolist(),
            strict=True,
        )
    )
    # Only ratios between members count:
    ratio = (log_density - log_density.amax(dim=0)).exp()
    return noise.tolist(), ratio.t(), scores
