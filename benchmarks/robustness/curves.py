from pathlib import Path

import matplotlib
from page import Page
from series import CAUTIOUS, OURS, Series, shown

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402

#: One colour for each system, in all figures.
COLORS = {
    OURS: 'black',
    CAUTIOUS: 'tab:brown',
    f'{OURS}, frozen': 'tab:gray',
    'Recipe: given graph': 'tab:olive',
    'GCN': 'tab:blue',
    'GAT': 'tab:cyan',
    'RGCN': 'tab:green',
    'GCN-Jaccard': 'tab:orange',
    'GCN-SVD': 'tab:red',
    'Pro-GNN': 'tab:purple',
    'SimPGCN': 'tab:pink',
}
MARKERS = 'osdDv^<>PX*'


def curve_plot(page: Page, series: Series, path: Path) -> None:
    r"""Mean accuracy against budget, a line for each system, with bars of one
    standard deviation.
    """
    figure, ax = plt.subplots(figsize=(7.2, 4.2), layout='constrained')
    markers = dict(zip(COLORS, MARKERS, strict=True))
    for system in page.systems:
        mean = series.accuracies(page, system)
        if not mean:
            continue
        spread = [
            acc.std(ddof=1) if acc.size > 1 else 0.0
            for acc in (page.accuracies(case, system) for case in mean)
        ]
        ours = system == OURS
        ax.errorbar(
            [series.place(case) for case in mean],
            list(mean.values()),
            spread,
            label=shown(system),
            color=COLORS.get(system, 'black'),
            marker=markers.get(system, '.'),
            markersize=5,
            linewidth=2.4 if ours else 1.3,
            elinewidth=0.8,
            capsize=2,
            zorder=3 if ours else 2,
        )
    ax.set_xticks([series.place(case) for case in series.cases])
    ax.set_xlabel(series.unit)
    ax.set_ylabel('test accuracy, %')
    ax.set_title(str(series))
    ax.grid(axis='y', alpha=0.3)
    ax.spines[['top', 'right']].set_visible(False)
    figure.legend(loc='outside right upper', frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)
