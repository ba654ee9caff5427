r"""Which systems are compared on which data: one entry for each of the paper's
figures, and further ones.
"""

from functools import partial

import comparisons
import label_share
import parts
import reported
import trust
from cases import Case
from experiment import Experiment
from page import Page
from suited import (
    FEATURES_ONLY,
    as_searched,
    has_features,
    one_prior,
    sees_case,
    suited_priors,
    trusts,
)
from systems.vgcn_relaxed import VGCNRelaxed

BASELINES = ('GCN', 'SAGE', 'GAT', 'RGCN', 'LDS', 'EGCN', 'GGP')
RECIPES = ('Recipe: learned', 'Recipe: frozen', 'Recipe: prior mean',
           'Recipe: DropEdge', 'Recipe: given graph', 'Recipe: MLP',
           'Recipe: SAGE', 'Recipe: learned, trust 0.5',
           'Recipe: frozen, trust 0.5', 'Recipe: learned, trust 0.99',
           'Recipe: frozen, trust 0.99')  # fmt: skip
#: The one setting of all four cases of 'learning'.
ONE_SETTING = {
    f'Recipe: {name}': ({'rho1': 0.1, 'evidence': 2.0},)
    for name in ('learned', 'frozen', 'prior mean', 'DropEdge')
}
MAIN_RECIPES = ('Recipe: learned', 'Recipe: frozen', 'Recipe: given graph',
                'Recipe: MLP', 'Recipe: SAGE')  # fmt: skip
TRUST = ('Recipe: fitted prior', 'Recipe: degree prior', 'Recipe: learned',
         'Recipe: given graph', 'Recipe: SAGE')  # fmt: skip
VERDICT = partial(
    comparisons.verdict, system='Recipe: learned', control='Recipe: frozen'
)
ESTIMATORS = ('Estimator', 'Estimator: frozen', 'Estimator: given graph',
              'Estimator: features only')  # fmt: skip
LEARNING = (
    comparisons.against_controls,
    partial(
        comparisons.paired, system='Recipe: learned', control='Recipe: frozen'
    ),
    comparisons.recovery,
    parts.seconds,
)
OURS = ('VGCN', 'VGCN relaxed')
ALL = OURS + BASELINES + FEATURES_ONLY
CITATIONS = ('CiteSeer', 'Cora')
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6)  # of nodes with a label
ALL_DATA = CITATIONS + ('Polblogs',)
CHANGES = ('remove_2000', 'remove_1000', 'remove_500', 'add_500', 'add_1000',
           'add_2000', 'add_5000')  # fmt: skip


def same_labels(page: Page) -> str:
    return (
        'All systems know the same labels. GCN and SAGE are trained with '
        'those of training nodes and stopped by those of validation nodes; '
        'the estimator is trained with both, after some of them were held '
        'out in turn to choose its settings. What it achieves without the '
        'graph is in the lines of the changed graphs.'
    )


def _of(
    datasets: tuple[str, ...], *graphs: str, split: str = 'half'
) -> tuple[Case, ...]:
    return tuple(
        Case(name, graph, split) for name in datasets for graph in graphs
    )


NO_GRAPH = _of(CITATIONS, 'knn')
BETAS = VGCNRelaxed.grid['beta']
DENSE = {'rho1': (0.25, 0.5, 0.99), 'lr': (0.05, 0.2)}

EXPERIMENTS = {
    'no-graph': Experiment(
        'No graph: nearest neighbours by features',
        NO_GRAPH,
        OURS + BASELINES + ('MLP',),
        quick=NO_GRAPH[:1],
        headline=True,
        parts=(parts.boxes, parts.seconds),
    ),
    'adversarial': Experiment(
        'Poisoned graphs',
        _of(ALL_DATA, *CHANGES),
        ALL,
        quick=_of(ALL_DATA, 'add_5000'),
        headline=True,
        fits=has_features,
        parts=(parts.boxes, parts.seconds),
    ),
    'reported': Experiment(
        'Baselines compared with reported results',
        _of(CITATIONS, 'true', split='public') + _of(CITATIONS, 'true'),
        BASELINES + ('MLP',),
        fits=reported.fits,
        parts=(reported.table,),
    ),
    'true': Experiment(
        'The true graphs',
        _of(ALL_DATA, 'true'),
        ALL,
        fits=has_features,
    ),
    'random-splits': Experiment(
        'Poisoned graphs, random splits',
        _of(CITATIONS, *CHANGES, split='random'),
        ALL,
        quick=_of(CITATIONS, 'add_5000', split='random'),
    ),
    'discrete': Experiment(
        'Discrete or relaxed, S = 3 graphs for prediction',
        NO_GRAPH + _of(CITATIONS, *CHANGES),
        ('VGCN relaxed, S = 3', 'VGCN discrete'),
        quick=NO_GRAPH + _of(CITATIONS, 'add_5000'),
        parts=(parts.boxes, parts.convergence),
    ),
    'low-rank': Experiment(
        'Low-rank or free',
        NO_GRAPH,
        ('VGCN relaxed', 'VGCN low-rank'),
    ),
    'samples': Experiment(
        'S = 3 or 16 graphs for prediction',
        NO_GRAPH,
        ('VGCN relaxed, S = 3', 'VGCN relaxed'),
    ),
    'beta': Experiment(
        'The weight β of the KL term',
        _of(ALL_DATA, *CHANGES),
        ('VGCN smoothed',),
        quick=_of(ALL_DATA, 'remove_2000', 'add_2000', 'add_5000'),
        vary={'beta': BETAS},
        parts=(partial(parts.choices, name='beta', values=BETAS),),
    ),
    'peers': Experiment(
        'Defences of the DeepRobust package, 5,000 edges added',
        _of(CITATIONS, 'add_5000'),
        (
            'VGCN',
            'GCN-Jaccard (DeepRobust)',
            'GCN-Jaccard',
            'GCN-SVD (DeepRobust)',
            'GCN-SVD',
            'RGCN (DeepRobust)',
            'RGCN',
        ),  # fmt: skip
        further=True,
        parts=(parts.boxes, parts.seconds),
    ),
    'priors': Experiment(
        'The effect of the prior',
        NO_GRAPH + _of(CITATIONS, 'add_5000'),
        ('GCN', 'VGCN smoothed', 'VGCN'),
        quick=NO_GRAPH[:1] + _of(('CiteSeer',), 'add_5000'),
        further=True,
    ),
    'learning': Experiment(
        'A learned graph or the prior',
        NO_GRAPH + _of(CITATIONS, 'add_5000'),
        RECIPES,
        further=True,
        settings=ONE_SETTING,
        lead=VERDICT,
        parts=(trust.settings_of_trust, *LEARNING),
    ),
    'learning-more': Experiment(
        'A learned graph or the prior: public splits and true graphs',
        _of(CITATIONS, 'knn', split='public')
        + _of(CITATIONS, 'true')
        + _of(('Polblogs',), 'add_5000', 'true'),
        MAIN_RECIPES,
        further=True,
        fits=has_features,
        tries=suited_priors,
        lead=VERDICT,
        parts=LEARNING,
    ),
    'learning-tables': Experiment(
        'A learned graph or the prior: tables',
        _of(('Wine', 'BreastCancer', 'Digits'), 'knn', split='public'),
        MAIN_RECIPES,
        further=True,
        lead=VERDICT,
        parts=LEARNING,
    ),
    'learning-pubmed': Experiment(
        'A learned graph or the prior: Pubmed',
        _of(('PubMed',), 'knn', split='public'),
        MAIN_RECIPES,
        further=True,
        tries=suited_priors,
        lead=VERDICT,
        parts=LEARNING,
    ),
    'trust': Experiment(
        'Trust found by data, at all levels of poisoning',
        _of(ALL_DATA, 'true', *CHANGES),
        TRUST,
        quick=_of(ALL_DATA, 'true', 'add_5000'),
        further=True,
        fits=trusts,
        tries=suited_priors,
        parts=(
            partial(
                comparisons.below_best,
                systems=TRUST[:2],
                others=('Recipe: given graph', 'Recipe: SAGE'),
            ),
            partial(
                comparisons.paired,
                system='Recipe: fitted prior',
                control='Recipe: learned',
            ),
            comparisons.recovery,
            parts.seconds,
        ),
    ),
    'estimator': Experiment(
        'VGCNNodeClassifier, with a graph that may be wrong',
        _of(CITATIONS, 'true', 'add_5000'),
        (*ESTIMATORS, 'GCN', 'SAGE'),
        further=True,
        fits=sees_case,
        lead=same_labels,
        table=partial(
            comparisons.against_controls, system='Estimator', family=''
        ),
        parts=(parts.seconds,),
    ),
    'dense-search': Experiment(
        "The paper's dense model: a short search",
        NO_GRAPH[:1] + _of(('CiteSeer',), 'add_5000'),
        ('VGCN relaxed',),
        further=True,
        vary=DENSE,
        parts=(partial(parts.chosen, names=tuple(DENSE)),),
    ),
    'long-runs': Experiment(
        "The paper's dense model, 1,000 epochs",
        NO_GRAPH[:1] + _of(('CiteSeer',), 'add_5000'),
        ('VGCN relaxed, 1000 epochs', 'VGCN smoothed, 1000 epochs'),
        further=True,
        tries=as_searched,
        parts=(partial(parts.convergence, count=2), parts.seconds),
    ),
    'free-logits': Experiment(
        'Free logits, learned from labels alone',
        _of(CITATIONS, 'add_5000'),
        ('Free logits: SGD', 'Free logits: Adam', 'Free logits: frozen'),
        further=True,
        lead=partial(
            comparisons.verdict,
            system='Free logits: SGD',
            control='Free logits: frozen',
        ),
        parts=(
            partial(
                comparisons.paired,
                system='Free logits: SGD',
                control='Free logits: frozen',
            ),
            partial(
                comparisons.paired,
                system='Free logits: Adam',
                control='Free logits: frozen',
            ),
            comparisons.recovery,
            parts.seconds,
        ),
    ),
    'label-share': Experiment(
        'A learned graph or the prior, by share of labels',
        tuple(
            Case(name, graph, f'share-{share}')
            for name in CITATIONS
            for graph in ('add_5000', 'knn')
            for share in SHARES
        ),
        tuple(name for pair in label_share.PRIORS.values() for name in pair),
        further=True,
        quick=tuple(
            Case(name, 'add_5000', f'share-{share}')
            for name in CITATIONS
            for share in SHARES
        ),
        tries=one_prior,
        parts=(label_share.curve, comparisons.recovery),
    ),
}
