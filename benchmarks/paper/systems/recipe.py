from abc import abstractmethod
from copy import copy
from typing import Any

from torch.nn.functional import normalize
from torch_geometric import seed_everything
from torch_geometric.data import Data

from systems.base import Outcome, System, num_classes, with_fast_features
from systems.learned_graph import LearnedGraph
from torch_geometric_vgcn import (
    FixedGraph,
    LogisticKL,
    SemiSupervisedELBO,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.objective import KL

HIDDEN = 64
LR = 0.02
EPOCHS = 120
PATIENCE = 40
#: The number of graphs for prediction.
NUM_SAMPLES = 16


class Recipe(System):
    r"""The way of training that all controls share, so that they differ in
    nothing but the graph: rows of Euclidean norm one, and the bound in which
    the classes of nodes without a label are latent, and as frequent as among
    the validation nodes.
    """

    @abstractmethod
    def model(
        self, data: Data, **settings: Any
    ) -> VariationalGraphLearner | FixedGraph:
        r"""The network with its graph. :obj:`data.x` is scaled and dense."""

    def train(
        self, data: Data, seed: int, epochs: int = EPOCHS, **settings: Any
    ) -> Outcome:
        seed_everything(seed)
        data = with_unit_rows(data)
        model = self.model(data, **settings)
        data = with_fast_features(data)
        result = fit(
            model,
            data,
            epochs=epochs,
            lr=LR,
            patience=PATIENCE,
            progress=False,
        )
        prob = model.predict(data.x, num_samples=NUM_SAMPLES)
        if isinstance(model, FixedGraph):
            return Outcome.of_fit(prob, result)
        return Outcome.of_fit(prob, result, LearnedGraph.of(model, data.x))


def objective(data: Data, kl: KL | None = None) -> SemiSupervisedELBO:
    r"""The bound, with the shares of classes among the validation nodes:
    unlike those for training, they are always a random sample.
    """
    classes = num_classes(data)
    count = data.y[data.val_mask].bincount(minlength=classes)
    return SemiSupervisedELBO(kl or LogisticKL(), class_share=count + 1)


def input_dropout(data: Data) -> float:
    r"""More for bags of words, which are mostly zeros, than for
    measurements.
    """
    return 0.8 if float((data.x != 0).float().mean()) < 0.1 else 0.5


def is_bag_of_words(data: Data) -> bool:
    r"""Whether features are counts or shares, not standardised."""
    return bool((data.x >= 0).all())


def with_unit_rows(data: Data) -> Data:
    r"""The data with rows of Euclidean norm one, or as they are if they are
    standardised.
    """
    data = copy(data)
    if is_bag_of_words(data):
        data.x = normalize(data.x, dim=-1)
    return data
