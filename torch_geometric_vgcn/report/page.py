import hashlib
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from torch_geometric_vgcn.analysis.calibration import wilson
from torch_geometric_vgcn.report.findings import Findings
from torch_geometric_vgcn.report.neighbourhoods import LIMIT, neighbourhoods

FOLDER = files('torch_geometric_vgcn.report')
STYLES = ('page.css', 'explorer.css', 'media.css')
#: In this order, as each uses those before.
SCRIPTS = (
    'tables.js', 'graph.js', 'words.js', 'panel.js', 'search.js',
    'explorer.js',
)  # fmt: skip
#: Only these scripts may run, and nothing may be loaded.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    'script-src {}'
)
#: How many edges a table lists, and how many classes a confusion matrix shows.
LISTED, MOST = 50, 20
#: How many bins a histogram has.
BINS = 20
#: By how much a probability must change to count.
MOVED = 0.02


def page(findings: Findings, title: str, limit: int = LIMIT) -> str:
    r"""The page as HTML, with all that it needs inside, and up to so many
    edges to explore. Only what is read from the package's own files is
    inserted as it is; the template escapes everything else.
    """
    edges = findings.edges
    listed = [edges.most_distrusted(LISTED), edges.strongest(LISTED)]
    starts = edges.index[:, np.concatenate(listed)].T.ravel()
    library = _read('vendor/cytoscape.min.js')
    script = _join(SCRIPTS)
    return _environment().get_template('page.html').render(
        title=title,
        policy=POLICY.format(f'{_hash(library)} {_hash(script)}'),
        style=_join(STYLES),
        library=library,
        script=script,
        findings=findings,
        held=findings.held_out,
        edges=edges,
        members=_members(findings),
        confusion=_confusion(findings),
        classes=_classes(findings),
        numbers=_numbers(findings),
        moved=MOVED,
        histograms=_histograms(findings),
        distrusted=listed[0].tolist(),
        strongest=listed[1].tolist(),
        data=neighbourhoods(findings, starts, limit),
    )  # fmt: skip


@cache
def _environment() -> Environment:
    out = Environment(
        loader=PackageLoader('torch_geometric_vgcn.report', 'web'),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    out.policies['json.dumps_kwargs'] = {
        'separators': (',', ':'),
        'allow_nan': False,
    }
    out.filters |= {
        'count': '{:,}'.format,
        'interval': _interval,
        'percent': _percent,
        'plural': _plural,
        'probability': _probability,
        'signed': _signed,
    }
    return out


def _plural(value: int, noun: str) -> str:
    if value == 1:
        return f'1 {noun}'
    return f'{value:,} {noun}' + ('es' if noun.endswith('s') else 's')


def _percent(share: float) -> str:
    return f'{100 * share:.1f}\N{NO-BREAK SPACE}%'


def _interval(bounds: tuple[float, float]) -> str:
    return '{:.1f}–{:.1f}\N{NO-BREAK SPACE}%'.format(
        *(100 * b for b in bounds)
    )


def _probability(value: float) -> str:
    if 0 < value < 5e-4:
        return '<\N{NO-BREAK SPACE}0.001'
    if 0.9995 <= value < 1:
        return '>\N{NO-BREAK SPACE}0.999'
    return f'{value:.3f}'


def _signed(value: float) -> str:
    return f'{value:+.3f}'.replace('-', '\N{MINUS SIGN}')


def _members(findings: Findings) -> list[dict[str, Any]]:
    r"""Members with the 95 % intervals of their accuracies."""
    size = len(findings.held_out)
    return [
        {**member, 'interval': wilson(member['accuracy'], size)}
        for member in findings.members
    ]


def _confusion(findings: Findings) -> tuple[Sequence[str], np.ndarray]:
    r"""The confusion of the classes with most labels, and of all others as
    one.
    """
    number, names = findings.held_out.confusion, findings.classes
    if len(names) <= MOST:
        return names, number
    order = np.argsort(-number.sum(axis=1), kind='stable')
    group = np.empty(len(names), dtype=int)
    group[order] = np.minimum(np.arange(len(names)), MOST - 1)
    merged = np.zeros((MOST, MOST), dtype=int)
    np.add.at(merged, (group[:, None], group[None]), number)
    kept = [names[place] for place in order[: MOST - 1]]
    return [*kept, f'{len(names) - MOST + 1} others'], merged


def _classes(findings: Findings) -> list[tuple[int, int, float]]:
    r"""How many rows have each class: those with a label, and those without,
    and how confident the predictions of the latter are in all.
    """
    number, rest = len(findings.classes), findings.label < 0
    known = np.bincount(findings.label[~rest], minlength=number)
    own, sure = findings.predicted[rest], findings.confidence[rest]
    found = np.bincount(own, minlength=number)
    total = np.bincount(own, sure, minlength=number)
    columns = (known.tolist(), found.tolist(), total.tolist())
    return list(zip(*columns, strict=True))


def _numbers(findings: Findings) -> dict[str, Any]:
    r"""The graph before and after learning."""
    edges = findings.edges
    left, right = findings.predicted[edges.index]
    new, likely = edges.candidate & ~edges.given, edges.posterior >= 0.5

    def sums(prob: np.ndarray) -> dict[str, float]:
        total = float(prob.sum())
        return {
            'likely': int((prob >= 0.5).sum()),
            'expected': round(total),
            'per_row': 2 * total / findings.num_rows,
            'within': prob[left == right].sum() / max(total, 1e-300),
        }

    return {
        'before': sums(edges.prior),
        'after': sums(edges.posterior),
        'candidates': int(edges.candidate.sum()) + edges.left_out,
        'given': int(edges.given.sum()),
        'given_likely': int((edges.given & likely).sum()),
        'new': int(new.sum()) + edges.left_out,
        'new_likely': int((new & likely).sum()),
        'up': int((edges.change > MOVED).sum()),
        'down': int((edges.change < -MOVED).sum()),
    }


def _histograms(findings: Findings) -> dict[str, dict[str, Any]]:
    edges = findings.edges
    kinds = {'All candidate edges': edges.candidate}
    if edges.has_new:
        kinds = {
            f'{findings.source.capitalize()} edges': edges.candidate
            & edges.given,
            'New edges': edges.candidate & ~edges.given,
        }
    return {
        kind: _histogram(edges.prior[which], edges.posterior[which])
        for kind, which in kinds.items()
        if which.any()
    }


def _histogram(before: np.ndarray, after: np.ndarray) -> dict[str, Any]:
    r"""The bins, and up to four round numbers for the axis, which is a
    square-root scale, so that small numbers can be seen, too.
    """
    limits = np.linspace(0, 1, BINS + 1)
    old, new = (np.histogram(p, limits)[0].tolist() for p in (before, after))
    most = max(*old, *new, 1)
    ticks = {_rounded(most * (step / 4) ** 2) for step in range(1, 5)} | {0}
    return {
        'most': most,
        'ticks': sorted(tick for tick in ticks if tick <= most),
        'bins': list(zip(limits, limits[1:], old, new, strict=False)),
    }


def _rounded(value: float) -> int:
    r"""To one digit, but at least one."""
    size = 10 ** (len(str(int(value))) - 1)
    return max(round(value / size) * size, 1)


def _read(name: str) -> Markup:
    return Markup(FOLDER.joinpath(name).read_text(encoding='utf-8'))


def _join(names: Sequence[str]) -> Markup:
    return Markup('').join(_read(f'web/{name}') for name in names)


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode('utf-8')).digest()
    return f"'sha256-{b64encode(digest).decode('ascii')}'"
