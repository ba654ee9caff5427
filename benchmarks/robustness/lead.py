r"""The first paragraph of the page: what breaks the learned graph."""

from typing import NamedTuple

from cases import Case
from page import Page
from series import BASELINE, CAUTIOUS, OURS, Series, series_of, shown

#: How many points below the clean accuracy of the baseline is broken.
MARGIN = 5.0

#: What follows from it.
ADVICE = (
    '**What to do.** If somebody may have tampered with the graph, train with '
    '`fitted_prior(data, caution=3.0)` (VGCN cautious): the attacks that hurt '
    'most aim at nodes whose label is not known, where no label can tell how '
    'many edges are wrong. Caution costs accuracy on a graph that is right, '
    'and most where the features are wrong instead (replaced words): edges '
    'are checked against features, so they should come from a source that '
    'the attacker of the graph does not control. An attacker that knows the '
    'defence and all labels (adaptive PRBCD) breaks both; compare with a '
    'network without a graph then.'
)


class Fall(NamedTuple):
    r"""What an attack does to our system and to the baseline.

    Args:
        series (Series): The attack.
        ours (Dict[Case, float]): Our mean accuracies by budget.
        theirs (Dict[Case, float]): Those of the baseline.
        cautious (Dict[Case, float]): Those of our cautious system.
    """

    series: Series
    ours: dict[Case, float]
    theirs: dict[Case, float]
    cautious: dict[Case, float]

    @classmethod
    def of(cls, page: Page, series: Series) -> 'Fall | None':
        r"""None if the clean accuracies or an attacked one are missing."""
        ours, theirs = (
            series.accuracies(page, name) for name in (OURS, BASELINE)
        )
        common = [case for case in ours if case in theirs]
        if len(common) < 2 or common[0].budget > 0:
            return None
        return cls(
            series,
            {case: ours[case] for case in common},
            {case: theirs[case] for case in common},
            series.accuracies(page, CAUTIOUS),
        )

    @property
    def breaks_at(self) -> Case | None:
        r"""The first budget with an accuracy below the limit."""
        limit = next(iter(self.theirs.values())) - MARGIN
        below = (case for case, acc in self.ours.items() if acc < limit)
        return next(below, None)

    @property
    def loss(self) -> float:
        r"""How many points we lose at the largest budget."""
        return _loss(self.ours)

    @property
    def text(self) -> str:
        last = list(self.ours)[-1]
        (before, *_, after), at = self.ours.values(), self.breaks_at
        if at is None:
            verdict = "doesn't break it"
        elif at == next(iter(self.ours)):
            verdict = 'finds it below the limit without any change'
        else:
            verdict = f'breaks it at {self.series.amount(at)}'
        name = f'**{self.series}**' if at else str(self.series)
        parts = [
            f'- {name} {verdict}: at {self.series.amount(last)} '
            f'{shown(OURS)} loses {self.loss:.1f} points (from {before:.1f} '
            f'to {after:.1f})'
        ]
        others = ((BASELINE, self.theirs), (CAUTIOUS, self.cautious))
        parts += [
            f'{shown(name)} {_loss(accs):.1f} (to {accs[last]:.1f})'
            for name, accs in others
            if last in accs and len(accs) > 1
        ]
        return ', '.join(parts) + '.'


def what_breaks_it(page: Page) -> str:
    r"""Each attack in words, the worst first."""
    found = [Fall.of(page, series) for series in series_of(page)]
    falls = sorted((f for f in found if f), key=lambda f: -f.loss)
    if not falls:
        return (
            f'**What breaks it:** not known yet, for want of results of '
            f'{shown(OURS)} and {shown(BASELINE)} on clean and attacked data.'
        )
    broken = sum(fall.breaks_at is not None for fall in falls)
    return '\n'.join(
        [
            f'**What breaks it.** An attack breaks {shown(OURS)} if its mean '
            f'accuracy falls more than {MARGIN:g} points below that of '
            f'{shown(BASELINE)} on the clean data: {broken} of {len(falls)} '
            'do. Largest loss first:',
            '',
            *(fall.text for fall in falls),
            '',
            ADVICE,
        ]
    )


def _loss(accs: dict[Case, float]) -> float:
    first, *_, last = accs.values()
    return first - last
