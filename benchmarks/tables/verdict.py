r"""The first paragraphs of the page: where VGCN is good, and where not."""

import numpy as np
from cell import Cell
from difference import FEWEST, Difference, best_of, clearly_best
from results import Results

OURS, LINEAR = 'VGCN', 'LogisticRegression'
#: How many points below logistic regression are too many.
MARGIN = 1.0


def verdict(results: Results) -> str:
    r"""In how many cells it is as good as the best, where it is worse than
    logistic regression, and when not to use it.
    """
    found = {}
    for cell in results.cells:
        scores = results.scores(cell, 'test_acc', 100)
        ours = scores.pop(OURS, {})
        if min(len(ours), len(scores)) and len(ours) >= FEWEST:
            best = best_of(scores)
            difference = Difference.of(ours, scores[best])
            if difference and difference.runs >= FEWEST:
                found[cell] = best, difference
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
    first = sum(
        clearly_best(results.scores(cell, 'test_acc')) == OURS
        for cell in found
    )
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
    for cell in results.cells:
        scores = results.scores(cell, 'test_acc', 100)
        difference = Difference.of(
            scores.get(OURS, {}), scores.get(LINEAR, {})
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
    for cell in results.cells:
        scores = results.scores(cell, 'seconds')
        if OURS in scores and LINEAR in scores:
            ours, linear = (
                np.mean(list(scores[name].values())) for name in (OURS, LINEAR)
            )
            ratios.append(ours / max(linear, 0.01))
    if not ratios:
        return ''
    return (
        f'It takes {min(ratios):.0f} to {max(ratios):.0f} times as long as '
        f'{LINEAR} (median {np.median(ratios):.0f}): where minutes matter '
        'more than points, use the latter.'
    )
