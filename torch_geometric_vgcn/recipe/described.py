from __future__ import annotations

from typing import TYPE_CHECKING

from torch_geometric_vgcn.recipe.members import name_of

if TYPE_CHECKING:
    from torch_geometric_vgcn.recipe.vgcn import VGCN


def described(model: VGCN) -> str:
    r"""What was decided, as constructor calls."""
    weights = getattr(model, 'weights_', {})
    lines = [f'{type(model).__name__}(', '    data,']
    lines += [f'    {line}' for line in decided(model)]
    lines += ['    members=[']
    for member in model.members:
        weight = weights.get(member.name)
        note = '' if weight is None else f'  # weight {weight:.2f}'
        lines.append(f'        {member!r},{note}')
    lines += ['    ],', ')']
    return '\n'.join(lines)


def decided(model: VGCN) -> list[str]:
    r"""The arguments but the members."""
    out = []
    if model.task.network is not None:
        out.append(f'network={name_of(model.task.network)},')
    out.append(f'features={model.task.features!r},')
    out.append(f'effort={model.effort!r},')
    out.append(f'seed={model.seed},')
    return out
