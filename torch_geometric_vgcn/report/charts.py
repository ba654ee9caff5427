r"""Charts as SVG: its colours are those of the page."""

from collections.abc import Sequence

import numpy as np

from torch_geometric_vgcn.analysis import Calibration
from torch_geometric_vgcn.report.held_out import wilson
from torch_geometric_vgcn.report.markup import count, percent, text

WIDTH, HEIGHT = 440, 240
LEFT, RIGHT, TOP, BOTTOM = 62, 10, 10, 40
#: How many bins a histogram has.
BINS = 20


def histogram(before: np.ndarray, after: np.ndarray, label: str) -> str:
    r"""Probabilities of edges before learning, as an outline, and after, as
    bars; on a square-root scale, so that small numbers can be seen, too.
    """
    limits = np.linspace(0, 1, BINS + 1)
    old, _ = np.histogram(before, limits)
    new, _ = np.histogram(after, limits)
    most = max(int(old.max()), int(new.max()), 1)

    def height(number: float) -> float:
        return 0.97 * (number / most) ** 0.5

    # Up to four lines at round numbers:
    values = {_rounded(most * (step / 4) ** 2) for step in range(1, 5)} | {0}
    ticks = sorted(value for value in values if value <= most)
    parts = [_grid([(height(value), count(value)) for value in ticks])]
    outline = f'M{_x(0):.1f},{_y(0):.1f}'
    for place in range(BINS):
        left, right = _x(limits[place]), _x(limits[place + 1])
        y = _y(height(new[place]))
        parts.append(
            f'<rect class="after" x="{left + 1:.1f}" y="{y:.1f}" '
            f'width="{right - left - 2:.1f}" height="{_y(0) - y:.1f}"/>'
        )
        outline += f'V{_y(height(old[place])):.1f}H{right:.1f}'
    parts.append(f'<path class="before" d="{outline}V{_y(0):.1f}"/>')
    for place in range(BINS):
        tip = (
            f'{limits[place]:.2f} to {limits[place + 1]:.2f}: '
            f'{count(old[place])} before, {count(new[place])} learned'
        )
        parts.append(_target(limits[place], limits[place + 1], tip))
    parts.append(_axes('probability of an edge', 'edges (square-root scale)'))
    return _svg(label, parts)


def reliability(found: Calibration, label: str) -> str:
    r"""The accuracy of predictions by their confidence, with 95 %
    intervals.
    """
    parts = [_grid([(step / 4, f'{step / 4:g}') for step in range(5)])]
    parts.append(
        f'<path class="ideal" d="M{_x(0):.1f},{_y(0):.1f}'
        f'L{_x(1):.1f},{_y(1):.1f}"/>'
    )
    columns = zip(
        found.count.tolist(),
        found.confidence.tolist(),
        found.accuracy.tolist(),
        strict=True,
    )
    most = int(found.count.max())
    for place, (number, confidence, accuracy) in enumerate(columns):
        if number == 0:
            continue
        low, high = wilson(round(accuracy * number), number)
        x, y = _x(confidence), _y(accuracy)
        size = 3 + 4 * (number / most) ** 0.5
        parts.append(
            f'<path class="interval" d="M{x:.1f},{_y(low):.1f}'
            f'V{_y(high):.1f}"/>'
            f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"/>'
        )
        tip = (
            f'confidence {percent(confidence)}: {percent(accuracy)} right '
            f'of {count(number)}'
        )
        bins = found.count.numel()
        parts.append(_target(place / bins, (place + 1) / bins, tip))
    parts.append(_axes('confidence', 'accuracy'))
    return _svg(label, parts)


def _rounded(value: float) -> int:
    r"""To one digit, but at least one."""
    size = 10 ** (len(str(int(value))) - 1)
    return max(round(value / size) * size, 1)


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _grid(ticks: Sequence[tuple[float, str]]) -> str:
    r"""Lines at some heights, with their values."""
    parts = [
        f'<path class="grid" d="M{LEFT},{_y(at):.1f}H{WIDTH - RIGHT}"/>'
        f'<text x="{LEFT - 6}" y="{_y(at) + 4:.1f}" text-anchor="end">'
        f'{text(tick)}</text>'
        for at, tick in ticks
    ]
    return ''.join(parts)


def _axes(below: str, beside: str) -> str:
    r"""The line below with its ticks, and what is on both axes."""
    ticks = ''.join(
        f'<text x="{_x(step / 4):.1f}" y="{_y(0) + 16:.1f}" '
        f'text-anchor="middle">{step / 4:g}</text>'
        for step in range(5)
    )
    middle = (TOP + HEIGHT - BOTTOM) / 2
    return (
        f'<path class="axis" d="M{LEFT},{_y(0):.1f}H{WIDTH - RIGHT}"/>{ticks}'
        f'<text class="title" x="{_x(0.5):.1f}" y="{HEIGHT - 6}" '
        f'text-anchor="middle">{text(below)}</text>'
        f'<text class="title" transform="translate(12 {middle:.1f}) '
        f'rotate(-90)" text-anchor="middle">{text(beside)}</text>'
    )


def _target(low: float, high: float, tip: str) -> str:
    r"""An invisible column that says its numbers."""
    return (
        f'<rect class="target" x="{_x(low):.1f}" y="{TOP}" '
        f'width="{_x(high) - _x(low):.1f}" height="{HEIGHT - TOP - BOTTOM}">'
        f'<title>{text(tip)}</title></rect>'
    )


def _svg(label: str, parts: Sequence[str]) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{text(label)}">{"".join(parts)}</svg>'
    )
