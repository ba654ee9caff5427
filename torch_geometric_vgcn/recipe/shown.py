r"""What a model decided, and its results, as text and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_geometric_vgcn.recipe.members import name_of

if TYPE_CHECKING:
    from torch_geometric_vgcn.recipe.vgcn import VGCN

PARTS = ('network', 'prior', 'posterior')


def as_table(columns: dict[str, list]) -> Any:
    r"""A DataFrame of pandas where it is installed, otherwise a list with one
    dictionary for each row.
    """
    try:
        from pandas import DataFrame
    except ImportError:
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]
    return DataFrame(columns)


def as_text(table: Any) -> str:
    r"""All rows and columns of such a table."""
    if isinstance(table, list):
        return '\n'.join(map(str, table))
    return table.to_string(index=False, float_format='{:.3f}'.format)


def described(model: VGCN) -> str:
    r"""What was decided, as constructor calls."""
    weights = getattr(model, 'weights_', {})
    lines = [f'{type(model).__name__}(', '    data,']
    lines += [f'    {name}={name},' for name in model.given]
    lines += [f'    {line},' for line in decided(model)]
    if model.time_limit is not None:
        lines.append(f'    time_limit={model.time_limit:g},')
    lines.append('    members=[')
    for member in model.members:
        weight = weights.get(member.name)
        note = '' if weight is None else f'  # weight {weight:.2f}'
        lines.append(f'        {member!r},{note}')
    lines += ['    ],', ')']
    return '\n'.join(lines)


def decided(model: VGCN) -> list[str]:
    r"""The arguments but the members."""
    task = model.task
    parts = {name: getattr(task, name) for name in PARTS}
    parts['objective'] = task.bound
    out = [
        f'{name}={name_of(part)}'
        for name, part in parts.items()
        if part is not None
    ]
    out.append(f'features={task.features!r}')
    out.append(f'effort={model.effort!r}')
    if not model.train_on_val:
        out.append('train_on_val=False')
    out.append(f'seed={model.seed}')
    return out
