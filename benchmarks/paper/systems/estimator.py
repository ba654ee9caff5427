from copy import copy
from typing import Any, ClassVar

from torch_geometric.data import Data

from systems.base import Outcome, System
from torch_geometric_vgcn.estimators import VGCNNodeClassifier


class Estimator(System):
    r""":class:`VGCNNodeClassifier`, which gets a graph that may be wrong and
    nothing else to go by. It learns the labels of training and validation
    nodes, some of which it holds out in turn to choose its settings.
    """

    title = 'Estimator'
    #: The parameters of :class:`VGCNClassifier`.
    parameters: ClassVar[dict[str, Any]] = {}

    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        options = {**self.parameters, **settings}
        model = VGCNNodeClassifier(random_state=seed, **options).fit(data)
        _, prob = model.predict(return_prob=True)
        return Outcome(
            prob.float(), model.validation_score_, model.n_iter_ - 1
        )


class EstimatorFrozen(Estimator):
    r"""The control: edges keep their prior probability."""

    title = 'Estimator: frozen'
    parameters = {'learn': False}


class EstimatorTrusting(Estimator):
    r"""The given graph, and all of it believed."""

    title = 'Estimator: given graph'
    parameters = {'trust': 0.99, 'learn': False}


class EstimatorFeatures(Estimator):
    r"""Without the graph: nearest nodes by features, if any."""

    title = 'Estimator: features only'

    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        data = copy(data)
        del data.edge_index
        return super().train(data, seed, **settings)
