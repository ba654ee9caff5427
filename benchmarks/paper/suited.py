r"""Which systems, and which of their settings, are trained in which case."""

from collections.abc import Mapping
from typing import Any

from cases import Case
from data_sets import DATASETS

FEATURES_ONLY = ('MLP', 'GCN on kNN')


def has_features(case: Case, system: str) -> bool:
    r"""Systems that use nothing but features need some."""
    needy = (*FEATURES_ONLY, 'Recipe: MLP')
    return DATASETS[case.dataset].has_features or system not in needy


def trusts(case: Case, system: str) -> bool:
    r"""Degrees are the evidence where there are no features; the settings to
    choose from are compared at both ends of the levels of poisoning.
    """
    if system == 'Recipe: degree prior':
        return not DATASETS[case.dataset].has_features
    if system == 'Recipe: learned':
        ends = case.graph in ('true', 'add_5000')
        return ends and DATASETS[case.dataset].has_features
    return DATASETS[case.dataset].has_features or 'prior' not in system


def sees_case(case: Case, system: str) -> bool:
    r"""Without the graph, it doesn't matter what was done to it."""
    return system != 'Estimator: features only' or case.graph != 'true'


def one_prior(case: Case, settings: Mapping[str, Any]) -> bool:
    r"""With evidence, only the prior that suits the graph."""
    if 'evidence' not in settings:
        return True
    suited = (0.1, 2.0) if case.graph == 'knn' else (0.5, 4.0)
    prior = (settings['rho1'], settings['evidence'])
    return prior in (suited, (0.5, 0.0))


def suited_priors(case: Case, settings: Mapping[str, Any]) -> bool:
    r"""For nearest neighbours, of which none is sure, one prior, and with few
    labels, which need neighbours that reach far, another one; for a graph that
    may be right or wrong, one for each possibility.
    """
    if case.graph != 'knn':
        unsuited: tuple[float, ...] = (0.1,)
    elif case.split == 'public':
        unsuited = (0.5,)
    else:
        unsuited = (0.5, 0.99)
    return settings.get('rho1') not in unsuited


def as_searched(case: Case, settings: Mapping[str, Any]) -> bool:
    r"""For the dense model, the settings that 'dense-search' chose."""
    if 'prior_temperature' not in settings:
        return True
    chosen = (0.5, 0.05) if case.graph == 'knn' else (0.25, 0.2)
    return (settings['rho1'], settings['lr']) == chosen
