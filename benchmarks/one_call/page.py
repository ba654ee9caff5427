from collections.abc import Iterable, Mapping
from operator import itemgetter

import numpy as np

from benchmarks.harness.difference import Difference
from benchmarks.harness.results import Results, table
from benchmarks.one_call.trials import APART, ESTIMATOR, ONE_CALL
from benchmarks.tables.tuned import LEAST

#: For each row the best other system, and the difference to it.
Found = dict[str, tuple[str, Difference]]
#: How many points below the best other system count as near.
NEAR = 0.5
HOW = f"""\
Bold is what is better than all others by more than noise: the 95 % intervals \
of the paired differences exclude 0. The best other system is the one with \
the highest mean accuracy. NLL is the negative log-likelihood (probabilities \
below {LEAST:g} count as that), ECE the expected calibration error in 15 \
bins; seconds are those of one processor.

## How it is measured

No system sees a label of a test node. The splits are those of the [other \
pages](README.md): Citeseer and Cora have the public test nodes and half of \
the validation nodes for training, Pubmed and the Citeseer of Pro-GNN their \
public splits, Polblogs random ones, Texas and Chameleon that of the ten in \
their files whose number is the run's last digit. Added edges are random. \
Without a graph, GraphSAGE and the recipe get the 20 nearest neighbours by \
cosine, as GCN on kNN does on all data. Tables, their splits and the systems \
beside the one call are those of [tables](tables.md).

- **{ONE_CALL}**: `VGCN(data, seed=run).fit()`, for tables \
`VGCNClassifier(random_state=run)`; nothing is chosen for any row. It trains \
on validation labels, too, half of them at a time while the other half judges.
- **{APART}**: the same with `train_on_val=False`: validation labels only \
tell when to stop and what to trust, as with all other systems but the \
{ESTIMATOR}. MLP, GCN and GraphSAGE choose one of two settings by them.
- **{ESTIMATOR}**: `VGCNNodeClassifier` and `VGCNClassifier` of version 0.2, \
which chose one model by held-out labels, and then trained it on all of them. \
Its lines were made with that version: this one trains the one call there.
- **recipe**: `Recipe: learned` of [learning](learning.md), with the same \
setting for all graphs."""


def parts(
    rows: list[dict],
    sections: Mapping[str, tuple[Iterable[object], Iterable[str]]],
    source: str,
) -> list[str]:
    r"""The parts of the page.

    Args:
        rows (List[dict]): The lines of all trials.
        sections (Mapping[str, Tuple]): For each section its rows and
            systems.
        source (str): What the lines are from, in words.
    """
    names, trained = ({row[key] for row in rows} for key in ('row', 'system'))
    found: dict[str, Found] = {ONE_CALL: {}, APART: {}}
    out = []
    for title, (order, systems) in sections.items():
        cells = [str(row) for row in order if str(row) in names]
        titles = [system for system in systems if system in trained]
        each = Results(rows, cells, titles, itemgetter('row'))
        if not cells:
            continue
        out += [f'## {title}', each.by_data()]
        for ours, all_found in found.items():
            apart = (ESTIMATOR,) if ours == APART else ()
            others = [s for s in titles if s not in (*found, *apart)]
            some = {
                row: best
                for row in cells
                if (best := each.beside(row, ours, others))
            }
            all_found |= some
            out += [closer(each, some, ours)] if some else []
    lead = f'Test accuracy in %, mean ± standard deviation, from {source}.'
    verdicts = [
        verdict(found[ONE_CALL], ONE_CALL, 'all other systems'),
        verdict(found[APART], APART, 'all that train on the same labels'),
    ]
    verdicts = [each for each in verdicts if each]
    if not verdicts:
        verdicts = [f'The {ONE_CALL} has not been trained yet.']
    return ['# One call', *verdicts, lead, *out, HOW]


def verdict(found: Found, ours: str, others: str) -> str:
    r"""In how many rows it is above all others, and how far below at
    worst.
    """
    if not found:
        return ''
    gains = [difference for _, difference in found.values()]
    above = sum(gain.mean > 0 for gain in gains)
    clear = sum(gain.mean > 0 and gain.is_clear for gain in gains)
    near = sum(gain.mean >= -NEAR for gain in gains)
    row, (best, worst) = min(found.items(), key=lambda item: item[1][1].mean)
    return (
        f'**The {ours} is above {others} in {above} of {len(gains)} rows** by '
        f'mean accuracy (clearly above the best of them in {clear}), and in '
        f'{near} at most {NEAR:g} points below the best. Its lowest '
        f'difference to the best is {worst.text(1)} points ({row}: {best}).'
    )


def closer(results: Results, found: Found, ours: str) -> str:
    r"""Ours beside the best other system, row by row."""
    head = ['data', 'best other system', f'{ours} minus it', 'NLL',
            'NLL of the other', 'ECE, %', 'seconds']  # fmt: skip
    lines = []
    for row, (best, difference) in found.items():
        line = [row, best, difference.text(1)]
        for name, system, digits, factor in (
            ('test_nll', ours, 3, 1),
            ('test_nll', best, 3, 1),
            ('test_ece', ours, 1, 100),
            ('seconds', ours, 0, 1),
        ):
            scores = results.scores(row, system, name, factor)
            line.append(f'{np.mean(list(scores.values())):.{digits}f}')
        lines.append(line)
    return table(head, lines)
