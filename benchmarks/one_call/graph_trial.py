import time
from dataclasses import dataclass
from typing import Any, ClassVar

from cases import Case
from cell import Cell
from contenders.base import accuracy, ece, nll
from data_sets import DATASETS
from suited import FEATURES_ONLY
from systems.base import Outcome, System, blind
from systems.estimator import Estimator
from systems.gcn import GCN
from systems.gcn_on_knn import GCNOnKNN
from systems.mlp import MLP
from systems.recipe_learned import RecipeLearned
from systems.sage import SAGE
from torch_geometric.data import Data

from torch_geometric_vgcn import VGCN

ONE_CALL, ESTIMATOR = 'one call', 'estimator'
#: The one call that trains on the same labels as all systems but these two.
APART = 'one call, training labels'
#: Those with two settings, of which validation accuracy chooses one.
TUNED = {'MLP': MLP, 'GCN': GCN, 'GraphSAGE': SAGE, 'GCN on kNN': GCNOnKNN}


class OneCall(System):
    title = ONE_CALL
    parameters: ClassVar[dict[str, Any]] = {}

    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        settings = {**self.parameters, **settings}
        model = VGCN(data, seed=seed, progress=False, **settings).fit()
        return Outcome(model.predict(), -1.0, -1)


class OneCallApart(OneCall):
    title = APART
    parameters = {'train_on_val': False}


SYSTEMS: dict[str, type[System]] = {
    ONE_CALL: OneCall,
    APART: OneCallApart,
    **TUNED,
    ESTIMATOR: Estimator,
    'recipe': RecipeLearned,
}


def systems_of(case: Case) -> list[str]:
    if case.graph == 'knn':
        return [name for name in SYSTEMS if name != 'GCN']  # as GCN on kNN
    left_out = () if DATASETS[case.dataset].has_features else FEATURES_ONLY
    return [name for name in SYSTEMS if name not in left_out]


@dataclass(frozen=True)
class RowTrial:
    r"""A system in a row of the page."""

    row: Case | Cell
    run: int
    system: str
    quick: bool = False

    @property
    def key(self) -> dict[str, Any]:
        return {'row': str(self.row), 'run': self.run, 'system': self.system}


class GraphTrial(RowTrial):
    r"""A system on nodes with or without a graph."""

    row: Case

    def data(self) -> Data:
        r"""The data. Without a graph, most systems get one of the nearest
        neighbours, the others see to it themselves.
        """
        own = self.system in (ONE_CALL, APART, ESTIMATOR)
        if self.row.graph != 'knn' or not own:
            return self.row.load(self.run)
        data = self.row.labelled(self.run)
        data.edge_index = None
        return data

    def train(self) -> dict[str, Any]:
        r"""Returns the line: the key, the scores of test nodes, whose labels
        no system sees, and the processor seconds of all settings.
        """
        data, system = self.data(), SYSTEMS[self.system]
        settings = [system.quick]
        if self.system in TUNED and not self.quick:
            settings += system.also
        if self.system in (ONE_CALL, APART) and self.quick:
            settings = [{'effort': 'quick'}]
        start = time.process_time()
        outcomes = [
            system().train(blind(data), self.run, **each) for each in settings
        ]
        seconds = time.process_time() - start
        best = max(outcomes, key=lambda outcome: outcome.val_acc)
        test = data.test_mask
        prob, y = best.prob[test].double().numpy(), data.y[test].numpy()
        return {
            **self.key,
            'test_acc': accuracy(prob, y),
            'test_nll': nll(prob, y),
            'test_ece': ece(prob, y),
            'seconds': round(seconds, 1),
        }
