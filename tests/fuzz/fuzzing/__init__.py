r"""Random calls of everything public, with right and wrong arguments.

Each call must give a right answer or an error that the package itself raised.
``python -m fuzzing NAME SEED`` in this folder's parent replays one case.
"""

from fuzzing import (
    analysis,
    core,
    data,
    datasets,
    estimators,
    recipe,
    report,
    scale,
    training,
    transforms,
)
from fuzzing.case import TARGETS, run

__all__ = [
    'TARGETS',
    'run',
    'analysis',
    'core',
    'data',
    'datasets',
    'estimators',
    'recipe',
    'report',
    'scale',
    'training',
    'transforms',
]
