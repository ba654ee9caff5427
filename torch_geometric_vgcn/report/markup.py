r"""Texts and numbers as HTML. All that comes from data goes through
:func:`text` or :func:`as_json`.
"""

import json
from html import escape
from typing import Any

from torch_geometric_vgcn.report.findings import Findings


def text(value: Any) -> str:
    r"""A text that stays text, also inside of attributes."""
    return escape(str(value), quote=True)


def as_json(value: Any) -> str:
    r"""JSON for a :obj:`<script>` element, which nothing in it can end."""
    found = json.dumps(value, separators=(',', ':'), allow_nan=False)
    for sign in '<>&':
        found = found.replace(sign, f'\\u{ord(sign):04x}')
    return found


def count(value: int) -> str:
    r"""A whole number, such as 1,797."""
    return f'{value:,}'


def plural(value: int, noun: str) -> str:
    if value == 1:
        return f'1 {noun}'
    return f'{value:,} {noun}' + ('es' if noun.endswith('s') else 's')


def chip(findings: Findings, place: int) -> str:
    r"""The name of a class, with its colour."""
    return (
        f'<span class="chip"><i class="c{findings.colour[place]}"></i>'
        f'{text(findings.classes[place])}</span>'
    )


def percent(share: float) -> str:
    return f'{100 * share:.1f}\N{NO-BREAK SPACE}%'


def interval(low: float, high: float) -> str:
    return f'{100 * low:.1f}–{100 * high:.1f}\N{NO-BREAK SPACE}%'


def probability(value: float) -> str:
    if 0 < value < 5e-4:
        return '&lt;\N{NO-BREAK SPACE}0.001'
    if 0.9995 <= value < 1:
        return '&gt;\N{NO-BREAK SPACE}0.999'
    return f'{value:.3f}'


def signed(value: float) -> str:
    return f'{value:+.3f}'.replace('-', '\N{MINUS SIGN}')
