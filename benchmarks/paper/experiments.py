r"""Which systems are compared on which data: one entry for each page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.harness.results import Results
from benchmarks.paper import comparisons, parts, reported
from benchmarks.paper.cases import Case
from benchmarks.paper.data_sets import DATASETS
from benchmarks.paper.systems import SYSTEMS
from benchmarks.paper.systems.recipe import TRUST
from benchmarks.paper.trials import Trial

FEATURES_ONLY = ('MLP', 'GCN on kNN')


def has_features(case: Case, system: str) -> bool:
    r"""Systems that use nothing but features need some."""
    return DATASETS[case.dataset].has_features or system not in FEATURES_ONLY


@dataclass(frozen=True)
class Experiment:
    r"""A page.

    Args:
        title (str): The title of the page.
        cases (Tuple[Case]): The data.
        systems (Tuple[str]): The systems.
        few (Tuple[Case], optional): The data without ``--all-graphs``.
            (default: all)
        headline (bool, optional): Whether it is run by default.
            (default: :obj:`False`)
        fits (Callable, optional): Whether a system is run on a case.
            (default: :func:`has_features`)
        settings (Mapping, optional): For some systems the settings to choose
            from instead of their own. (default: none)
        lead (Callable, optional): The page's first paragraph.
            (default: none)
        parts (Tuple[Callable], optional): What the page shows below the
            table of accuracies. (default: none)
    """

    title: str
    cases: tuple[Case, ...]
    systems: tuple[str, ...]
    few: tuple[Case, ...] = ()
    headline: bool = False
    fits: Callable[[Case, str], bool] = has_features
    settings: Mapping[str, Sequence[Mapping[str, Any]]] = field(
        default_factory=dict
    )
    lead: Callable[[Results], str] | None = None
    parts: tuple[Callable[[Results], str], ...] = ()

    def trials(
        self, systems: Sequence[str], runs: range, all_graphs: bool = False
    ) -> list[Trial]:
        r"""One trial for each case, run, system and setting."""
        cases = self.cases if all_graphs else self.few or self.cases
        return [
            Trial(case, run, name, settings)
            for run in runs
            for case in cases
            for name in systems
            if self.fits(case, name)
            for settings in self.settings.get(name, SYSTEMS[name].settings)
        ]


def _of(
    datasets: tuple[str, ...], *graphs: str, split: str = 'half'
) -> tuple[Case, ...]:
    return tuple(
        Case(name, graph, split) for name in datasets for graph in graphs
    )


BASELINES = ('GCN', 'SAGE', 'GAT', 'RGCN', 'LDS', 'EGCN', 'GGP')
OURS = ('VGCN', 'VGCN relaxed')
ALL = OURS + BASELINES + FEATURES_ONLY
VARIANTS = ('VGCN relaxed', 'VGCN relaxed, S = 3', 'VGCN low-rank',
            'VGCN discrete')  # fmt: skip
RECIPES = ('learned', 'frozen', 'prior mean', 'DropEdge', 'given graph', 'MLP',
           'SAGE', 'learned, trust 0.5', 'frozen, trust 0.5',
           'learned, trust 0.99', 'frozen, trust 0.99')  # fmt: skip
FREE = ('Free logits: SGD', 'Free logits: Adam', 'Free logits: frozen')
CITATIONS = ('CiteSeer', 'Cora')
ALL_DATA = (*CITATIONS, 'Polblogs')
CHANGES = ('remove_2000', 'remove_1000', 'remove_500', 'add_500', 'add_1000',
           'add_2000', 'add_5000')  # fmt: skip
NO_GRAPH, POISONED = _of(CITATIONS, 'knn'), _of(CITATIONS, 'add_5000')
LEARNED = {'system': 'Recipe: learned', 'control': 'Recipe: frozen'}
SGD, ADAM = ({'system': name, 'control': FREE[2]} for name in FREE[:2])

EXPERIMENTS = {
    'no-graph': Experiment(
        'No graph: nearest neighbours by features',
        NO_GRAPH,
        OURS + BASELINES + ('MLP',),
        few=NO_GRAPH[:1],
        headline=True,
        parts=(parts.seconds,),
    ),
    'adversarial': Experiment(
        'Poisoned graphs',
        _of(ALL_DATA, *CHANGES),
        ALL,
        few=_of(ALL_DATA, 'add_5000'),
        headline=True,
        parts=(parts.seconds,),
    ),
    'reported': Experiment(
        'Baselines compared with reported results',
        _of(CITATIONS, 'true', split='public') + _of(CITATIONS, 'true'),
        (*BASELINES, 'MLP'),
        fits=reported.fits,
        parts=(reported.compared,),
    ),
    'true': Experiment('The true graphs', _of(ALL_DATA, 'true'), ALL),
    'random-splits': Experiment(
        'Poisoned graphs, random splits',
        _of(CITATIONS, *CHANGES, split='random'),
        ALL,
        few=_of(CITATIONS, 'add_5000', split='random'),
    ),
    'variants': Experiment(
        "Variants of the paper's model",
        NO_GRAPH + POISONED,
        VARIANTS,
    ),
    'learning': Experiment(
        'A learned graph or the prior',
        NO_GRAPH + POISONED,
        tuple(f'Recipe: {name}' for name in RECIPES),
        # One setting for all four cases:
        settings={f'Recipe: {name}': TRUST[:1] for name in RECIPES[:4]},
        lead=partial(comparisons.verdict, **LEARNED),
        parts=(
            comparisons.settings_of_trust,
            comparisons.against_controls,
            partial(comparisons.paired, **LEARNED),
            comparisons.recovery,
            parts.seconds,
        ),
    ),
    'free-logits': Experiment(
        'Free logits, learned from labels alone',
        POISONED,
        FREE,
        lead=partial(comparisons.verdict, **SGD),
        parts=(
            partial(comparisons.paired, **SGD),
            partial(comparisons.paired, **ADAM),
            comparisons.recovery,
            parts.seconds,
        ),
    ),
    'label-share': Experiment(
        'A learned graph or the prior, by share of labels',
        tuple(
            Case(name, 'add_5000', f'share-{share}')
            for name in CITATIONS
            for share in (0.02, 0.05, 0.1, 0.2, 0.4, 0.6)
        ),
        tuple(
            f'Recipe: {kind}{prior}'
            for prior in ('', ', smoothed')
            for kind in ('learned', 'frozen')
        ),
        settings={name: TRUST[1:2] for name in LEARNED.values()},
        parts=(comparisons.by_share, comparisons.recovery),
    ),
}
