r"""What inferring the edges brings, beside edges that stay at their prior."""

from dataclasses import replace

from contenders.vgcn import FrozenVGCN
from difference import Difference
from markdown_table import table
from results import Results
from verdict import OURS

CONTROL = FrozenVGCN.title


def control(results: Results) -> list[str]:
    r"""The section of the page, if the control has been trained."""
    both = replace(results, systems=[OURS, CONTROL])
    lines = []
    for cell in both.cells:
        accuracy = both.scores(cell, 'test_acc', 100)
        nll = both.scores(cell, 'test_nll')
        if len(accuracy) < 2:
            continue
        more = Difference.of(accuracy[OURS], accuracy[CONTROL])
        less = Difference.of(nll[OURS], nll[CONTROL])
        if more and less:
            runs = str(more.runs)
            lines.append([str(cell), runs, more.text(1), less.text(3)])
    if not lines:
        return []
    return [
        '## Learned against frozen edges',
        f'{OURS} minus {CONTROL}, paired by run, with 95 % intervals, in bold '
        'if they exclude 0. Where a run chooses no graph at all, both are the '
        f'same. {CONTROL} is {FrozenVGCN.about}.',
        table(['data, labels', 'runs', 'accuracy, points', 'NLL'], lines),
    ]
