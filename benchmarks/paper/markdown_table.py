from collections.abc import Iterable, Sequence


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    r"""A table in Markdown."""
    rows = [head, ['---'] * len(head), *lines]
    return '\n'.join(f'| {" | ".join(row)} |' for row in rows)
