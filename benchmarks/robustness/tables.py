r"""The tables of the page: accuracy against budget, and the detection of
false edges.
"""

import re

from comparisons import HOW, recovered
from curves import curve_plot
from markdown_table import table
from page import Page, mean_and_std
from parts import clearly_best
from series import OURS, Series, series_of, shown

#: Published accuracies on the same graphs and split, at budgets of 20 and
#: 25 %; None where there is none.
PUBLISHED = {
    'Pro-GNN': (70.0, 69.0),
    'ASGNN': (71.1, 70.0),
    'R-GUGNN': (71.6, 71.7),
    'VDERG': (73.4, None),
}
#: What each attacker does and knows.
ATTACKERS = {
    'meta': 'Metattack: the published graphs, which poison a GCN',
    'nettack': 'Nettack: the published graphs, with changes at single test '
    'nodes',
    'prbcd': 'PRBCD: `GradientAttack` against a GCN; knows all labels',
    'adaptive': 'adaptive PRBCD: `GradientAttack` against `LearnerSurrogate`, '
    'that is, against the prior and the class posterior of '
    f'{shown(OURS)}; knows all labels',
    'similar': 'similar features: `SimilarityAttack` adds edges between the '
    'nodes of different classes with the most similar features',
    'neighbors': 'common neighbours: `NeighborhoodAttack` adds edges between '
    'the nodes of different classes with the most common neighbours',
    'words': 'replaced words: `ShuffleWords`; the graph is not changed',
}


def by_attack(page: Page) -> str:
    r"""For each data set and attack a table and a figure, the best mean in
    bold if it is clearly so.
    """
    out = []
    for series in series_of(page):
        best = {case: clearly_best(page, case) for case in series.cases}
        lines = []
        for system in page.systems:
            accs = [page.accuracies(case, system) for case in series.cases]
            cells = [mean_and_std(acc) if acc.size else '' for acc in accs]
            for place, case in enumerate(series.cases):
                if best[case] == system:
                    cells[place] = f'**{cells[place]}**'
            if any(cells):
                lines.append([shown(system), *cells])
        head = [series.unit, *(series.amount(case) for case in series.cases)]
        name = f'{page.name}-{_slug(str(series))}.png'
        curve_plot(page, series, page.folder / name)
        runs = page.num_runs(series.cases).capitalize()
        out += [f'## {series}', f'{runs}.', table(head, lines)]
        out += _caption(series)
        out.append(f'![{series}]({name})')
    return '\n\n'.join(out)


def _caption(series: Series) -> list[str]:
    if series.attack == 'nettack':
        return ['Accuracy on the attacked nodes alone.']
    if (series.dataset, series.attack) != ('Pro-GNN Citeseer', 'meta'):
        return []
    figures = '; '.join(
        f'{name} {" / ".join("–" if a is None else f"{a:.1f}" for a in accs)}'
        for name, accs in PUBLISHED.items()
    )
    return [f'Published on the same graphs, 20 % / 25 %: {figures}.']


def attackers(page: Page) -> str:
    r"""What the attacks are."""
    found = dict.fromkeys(series.attack for series in series_of(page))
    lines = [f'- {ATTACKERS[attack]}.' for attack in found]
    return '\n'.join(
        [
            '## The attacks',
            '',
            *lines,
            '',
            'Each system is trained on the attacked data. VGCN has one '
            'setting; the others choose among one (GAT) to three '
            '(GCN-Jaccard, GCN-SVD) by validation accuracy.',
        ]
    )


def detection(page: Page) -> str:
    r"""How well the prior and the learned posterior detect false edges."""
    lines = []
    for series in series_of(page):
        for case in series.cases:
            cells = recovered(page, case, OURS, ('auc', 'false_ap'))
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


def _slug(text: str) -> str:
    return re.sub(r'[^a-z0-9]+', '-', text.lower())
