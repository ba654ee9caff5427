r"""A system in a row of the page: on nodes with or without a graph, or on a
table with some labels missing.
"""

import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from torch_geometric.data import Data

from benchmarks.harness.lines import JsonLines
from benchmarks.paper.cases import Case
from benchmarks.paper.data_sets import DATASETS
from benchmarks.paper.experiments import FEATURES_ONLY
from benchmarks.paper.systems import SYSTEMS, System, blind
from benchmarks.paper.systems.base import Outcome
from benchmarks.tables.contenders import CONTENDERS
from benchmarks.tables.data import Cell
from benchmarks.tables.trial import FIELDS, TableTrial
from benchmarks.tables.tuned import scores
from torch_geometric_vgcn import VGCN
from torch_geometric_vgcn.estimators import VGCNNodeClassifier

ONE_CALL, ESTIMATOR, RECIPE = 'one call', 'estimator', 'recipe'
#: The one call that trains on the same labels as all systems but these two.
APART = 'one call, training labels'
OWN = (ONE_CALL, APART, ESTIMATOR)


class OneCall(System):
    title = ONE_CALL

    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        settings['train_on_val'] = self.title != APART
        model = VGCN(data, seed=seed, progress=False, **settings).fit()
        return Outcome(model.predict(), -1.0, -1)


class OneCallApart(OneCall):
    title = APART


class Estimator(System):
    title = ESTIMATOR

    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        model = VGCNNodeClassifier(random_state=seed).fit(data)
        _, prob = model.predict(return_prob=True)
        return Outcome(prob.float(), -1.0, -1)


#: Those of several settings choose one by validation accuracy.
ON_GRAPHS: dict[str, System] = {
    ONE_CALL: OneCall(),
    APART: OneCallApart(),
    'MLP': SYSTEMS['MLP'],
    'GCN': SYSTEMS['GCN'],
    'GraphSAGE': SYSTEMS['SAGE'],
    'GCN on kNN': SYSTEMS['GCN on kNN'],
    ESTIMATOR: Estimator(),
    RECIPE: SYSTEMS['Recipe: learned'],
}
#: The systems on tables, and what the lines of ``benchmarks/tables`` call
#: them.
ON_TABLES = {ONE_CALL: 'VGCN', ESTIMATOR: 'VGCN'} | {
    name: name for name in CONTENDERS if not name.startswith('VGCN')
}
TABLES = JsonLines(
    Path(__file__).parents[2] / 'docs' / 'results' / 'tables.jsonl', FIELDS
)


@dataclass(frozen=True)
class Trial:
    row: Case | Cell
    run: int
    system: str
    quick: bool = False

    @property
    def key(self) -> dict[str, Any]:
        return {'row': str(self.row), 'run': self.run, 'system': self.system}

    def train(self) -> dict[str, Any]:
        r"""Returns the line: the key, the scores of test nodes or rows, whose
        labels no system sees, and the processor seconds of all settings.
        """
        on_graph = isinstance(self.row, Case)
        return self.key | (self.on_graph() if on_graph else self.on_table())

    def on_graph(self) -> dict[str, float]:
        data, system = self.data(), ON_GRAPHS[self.system]
        settings = system.settings
        if self.quick or self.system == RECIPE:
            settings = settings[:1]
        if self.quick and self.system in (ONE_CALL, APART):
            settings = [{'effort': 'quick'}]
        start = time.process_time()
        outcomes = [
            system.train(blind(data), self.run, **each) for each in settings
        ]
        seconds = time.process_time() - start
        best = max(outcomes, key=lambda outcome: outcome.val_acc)
        test = data.test_mask
        prob, y = best.prob[test].double().numpy(), data.y[test].numpy()
        return {**scores(prob, y), 'seconds': round(seconds, 1)}

    def data(self) -> Data:
        r"""The data. Without a graph, most systems get one of the nearest
        neighbours, the others see to it themselves.
        """
        if self.row.graph != 'knn' or self.system not in OWN:
            return self.row.load(self.run)
        data = self.row.labelled(self.run)
        data.edge_index = None
        return data

    def on_table(self) -> dict[str, float]:
        r"""All but the one call were trained by ``benchmarks/tables``, whose
        lines are taken over.
        """
        trial = TableTrial(self.row, self.run, ON_TABLES[self.system])
        if self.system == ONE_CALL:
            line = trial.train()
        else:
            line = lines().get(TABLES.name_of(trial.key), {})
        if 'test_acc' not in line:
            raise ValueError(f'{TABLES.path} has no scores of {trial.key}')
        names = ('test_acc', 'test_nll', 'test_ece', 'seconds')
        return {name: line[name] for name in names if name in line}


@cache
def lines() -> dict[str, dict]:
    return TABLES.read()


def systems_of(row: Case | Cell) -> list[str]:
    if isinstance(row, Cell):
        return [*ON_TABLES]
    left_out: tuple[str, ...] = ()
    if row.graph == 'knn':
        left_out = ('GCN',)  # as GCN on kNN
    elif not DATASETS[row.dataset].has_features:
        left_out = FEATURES_ONLY
    return [name for name in ON_GRAPHS if name not in left_out]
