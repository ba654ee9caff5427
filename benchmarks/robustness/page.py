r"""The page: what breaks the learned graph, accuracy against budget, and the
detection of false edges.
"""

from collections.abc import Sequence

from benchmarks.harness.results import Results, table
from benchmarks.paper.cases import Case
from benchmarks.paper.comparisons import HOW, recovered
from benchmarks.paper.parts import seconds
from benchmarks.robustness.attacks import SERIES, Series

#: The system that learns the graph, and what it is compared with.
OURS, BASELINE = 'Recipe: fitted prior', 'GCN'
#: Ours for data that somebody may have attacked.
CAUTIOUS = 'Recipe: cautious prior'
SYSTEMS = (OURS, CAUTIOUS, f'{OURS}, frozen', 'Recipe: given graph', BASELINE,
           'GAT', 'RGCN', 'GCN-Jaccard', 'GCN-SVD')  # fmt: skip
#: What the page calls systems.
SHOWN = {
    OURS: 'VGCN',
    f'{OURS}, frozen': 'VGCN frozen',
    CAUTIOUS: 'VGCN cautious',
}
#: How many points below the clean accuracy of the baseline is broken.
MARGIN = 5.0
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
#: On the same graphs and split, at budgets of 20 and 25 %.
PUBLISHED = (
    'Published on the same graphs, 20 % / 25 %: Pro-GNN 70.0 / 69.0; ASGNN '
    '71.1 / 70.0; R-GUGNN 71.6 / 71.7; VDERG 73.4 / –.'
)
ATTACKERS = """\
## The attacks

- Metattack: the published graphs, which poison a GCN.
- Nettack: the published graphs, with changes at single test nodes.
- PRBCD: `GradientAttack` against a GCN; knows all labels.
- adaptive PRBCD: `GradientAttack` against `LearnerSurrogate`, that is, \
against the prior and the class posterior of VGCN; knows all labels.
- similar features: `SimilarityAttack` adds edges between the nodes of \
different classes with the most similar features.
- common neighbours: `NeighborhoodAttack` adds edges between the nodes of \
different classes with the most common neighbours.
- replaced words: `ShuffleWords`; the graph is not changed.

Each system is trained on the attacked data. VGCN has one setting; the others \
choose among one (GAT) to three (GCN-Jaccard, GCN-SVD) by validation \
accuracy."""


def shown(system: str) -> str:
    return SHOWN.get(system, system)


def parts(rows: list[dict], command: str) -> list[str]:
    r"""The parts of the page."""
    found = {Case.of(row) for row in rows}
    every = [case for series in SERIES for case in series.cases]
    cases = [case for case in dict.fromkeys(every) if case in found]
    trained = {row['system'] for row in rows}
    systems = [system for system in SYSTEMS if system in trained]
    results = Results(rows, cases, systems, Case.of)
    all_series = [series.found(cases) for series in SERIES]
    all_series = [each for each in all_series if each.cases[1:]]
    return [
        '# Attacks, and what they break',
        what_breaks_it(results, all_series),
        f'Test accuracy, mean ± standard deviation of {results.num_runs()}, '
        f'from `{command}`; the underlying results are in '
        '[robustness.jsonl](robustness.jsonl).',
        *(of_attack(results, series) for series in all_series),
        detection(results, all_series),
        ATTACKERS,
        seconds(results, shown),
    ]


def what_breaks_it(results: Results, all_series: Sequence[Series]) -> str:
    r"""What each attack does to us and to others, the worst first."""
    systems = (OURS, CAUTIOUS, BASELINE)
    lines = {}
    for series in all_series:
        ours, *others = (series.accuracies(results, name) for name in systems)
        common = [case for case in ours if case in others[-1]]
        if len(common) < 2 or common[0].budget > 0:
            continue
        first, last = common[0], common[-1]
        limit = others[-1][first] - MARGIN
        breaks = [case for case in common if ours[case] < limit]
        losses = [
            f'{accs[first] - accs[last]:.1f} (to {accs[last]:.1f})'
            if first in accs and last in accs
            else ''
            for accs in (ours, *others)
        ]
        name = f'**{series}**' if breaks else str(series)
        at = series.amount(breaks[0]) if breaks else ''
        loss = ours[first] - ours[last]
        lines[name] = loss, [name, series.amount(last), at, *losses]
    if not lines:
        return (
            f'**What breaks it:** not known yet, for want of results of '
            f'{shown(OURS)} and {shown(BASELINE)} on clean and attacked data.'
        )
    worst_first = sorted(lines.values(), key=lambda each: -each[0])
    head = ['attack', 'budget', f'breaks {shown(OURS)} at']
    head += [f'{shown(name)} loses' for name in systems]
    broken = sum(bool(line[2]) for _, line in worst_first)
    return (
        f'**What breaks it.** An attack breaks {shown(OURS)} if its mean '
        f'accuracy falls more than {MARGIN:g} points below that of '
        f'{shown(BASELINE)} on the clean data: {broken} of {len(lines)} do. '
        'Largest loss first, in points of test accuracy:\n\n'
        f'{table(head, [line for _, line in worst_first])}\n\n{ADVICE}'
    )


def of_attack(results: Results, series: Series) -> str:
    r"""Accuracy by budget, the best mean in bold if it is clearly so."""
    lines = []
    for system in results.systems:
        cells = [results.cell(case, system) for case in series.cases]
        if any(cells):
            lines.append([shown(system), *cells])
    head = [series.unit, *map(series.amount, series.cases)]
    runs = results.num_runs(series.cases).capitalize()
    out = [f'## {series}', f'{runs}.', table(head, lines)]
    if series.attack == 'nettack':
        out.append('Accuracy on the attacked nodes alone.')
    elif series.attack == 'meta':
        out.append(PUBLISHED)
    return '\n\n'.join(out)


def detection(results: Results, all_series: Sequence[Series]) -> str:
    r"""How well the prior and the learned posterior detect false edges."""
    lines = []
    for series in all_series:
        for case in series.cases:
            cells = recovered(results, case, OURS, ('auc', 'false_ap'))
            if case.adds_edges and cells:
                lines.append([str(series), series.amount(case), *cells])
    head = ['attack', 'budget', 'prior AUC', 'posterior AUC', 'difference']
    head += ['prior AP', 'posterior AP', 'difference']
    return (
        '## Detection of false edges\n\n'
        f'Low edge probabilities of {shown(OURS)} detect the edges that an '
        'attack added, before (prior) and after learning (posterior): area '
        'under the ROC curve (AUC; 0.5 by chance) and average precision (AP; '
        'by chance the share of false edges). Posterior minus prior: '
        f'{HOW}.\n\n' + table(head, lines)
    )
