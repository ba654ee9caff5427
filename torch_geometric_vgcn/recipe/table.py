from typing import Any


def as_table(columns: dict[str, list]) -> Any:
    r"""A DataFrame of pandas where it is installed, otherwise a list with one
    dictionary for each row.
    """
    try:
        from pandas import DataFrame
    except ImportError:
        return rows_of(columns)
    return DataFrame(columns)


def rows_of(columns: dict[str, list]) -> list[dict[str, Any]]:
    r"""One dictionary for each row."""
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def as_text(columns: dict[str, list]) -> str:
    r"""The table as lines of text, in aligned columns."""
    cells = [list(columns)]
    cells += [[_cell(v) for v in row.values()] for row in rows_of(columns)]
    width = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for first, *others in cells:
        line = [first.ljust(width[0])]
        line += [c.rjust(w) for c, w in zip(others, width[1:], strict=True)]
        lines.append('  '.join(line))
    return '\n'.join(lines)


def _cell(value: Any) -> str:
    return f'{value:.3f}' if isinstance(value, float) else str(value)
