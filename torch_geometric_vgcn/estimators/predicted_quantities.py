from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch_geometric.data import Data

from torch_geometric_vgcn.datasets.column_features import as_number
from torch_geometric_vgcn.estimators.regressor import VGCNRegressor


@dataclass(frozen=True)
class PredictedQuantities:
    r"""The missing quantities of a table, as the command tells them.

    Args:
        estimator (VGCNRegressor): The fitted estimator.
        known (numpy.ndarray): The given quantities, NaN where unknown.
    """

    estimator: VGCNRegressor
    known: np.ndarray

    @classmethod
    def of(cls, data: Data, label: str, seed: int) -> 'PredictedQuantities':
        numbers = [as_number(name) for name in data.class_names]
        if None in numbers:
            raise ValueError(
                f"the label column '{label}' must hold numbers, got "
                f'{data.class_names[numbers.index(None)]!r}'
            )
        y = np.array([*numbers, np.nan], dtype=float)[data.y.numpy()]
        reg = VGCNRegressor(verbose=True, random_state=seed)
        return cls(reg.fit(data.x.numpy(), y), y)

    def columns(self, label: str) -> list[tuple[str, Sequence[Any]]]:
        r"""The columns of the file of predictions, with their names."""
        known = ['' if np.isnan(v) else f'{v:.10g}' for v in self.known]
        predicted = [f'{v:.10g}' for v in self.estimator.transduction_]
        return [(label, known), ('predicted', predicted)]

    def summary(self) -> str:
        reg, missing = self.estimator, np.isnan(self.known)
        lines = [
            f'{int((~missing).sum())} rows with a number, '
            f'{int(missing.sum())} without.',
            f'On {reg.validation_size_} numbers that were held out: R² '
            f'{reg.validation_score_:.3f}, errors with a standard deviation '
            f'of {reg.noise_:.4g} (the numbers: '
            f'{np.std(self.known[~missing]):.4g}).',
            f'Chosen: {reg.choice_}. Tried:',
        ]
        lines += [
            f'  {trial["setting"]}: R² {trial["r2"]:.3f}'
            for trial in reg.trials_
        ]
        return '\n'.join(lines)
