from abc import abstractmethod
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.training.fingerprint import digest
from torch_geometric_vgcn.training.ranks import Ranks
from torch_geometric_vgcn.training.result import evaluate
from torch_geometric_vgcn.training.run import Run, device_of
from torch_geometric_vgcn.training.settings import Settings
from torch_geometric_vgcn.utils import (
    Inputs,
    check_attributes,
    check_features,
    count_nodes,
    selected_nodes,
)


class DataRun(Run):
    r"""A training run on data that each process holds.

    Args:
        learner (VariationalGraphLearner or FixedGraph): The learner.
        data (torch_geometric.data.Data): The data.
        settings (Settings): The settings.
        ranks (Ranks, optional): The processes that take part.
            (default: :obj:`None`, this one)
    """

    def __init__(
        self,
        learner: VariationalGraphLearner | FixedGraph,
        data: Data,
        settings: Settings,
        ranks: Ranks | None = None,
    ) -> None:
        n = count_nodes(data)
        check_attributes(data, 'x', 'y', 'train_mask', 'val_mask')
        check_features(data.x, n, 'data.x')
        self.x: Tensor = data.x
        self.y: Tensor = data.y
        for name in ('train_mask', 'val_mask'):
            learner.likelihood.check_labels(
                self.y, data[name], n, f'data.{name}'
            )
        self.train_nodes = selected_nodes(data.train_mask, n)
        self.val_nodes = selected_nodes(data.val_mask, n)
        self.learner, self.device = learner, device_of(learner)
        self.settings = settings
        self.place(data)
        self.labelled = torch.cat([self.train_nodes, self.val_nodes]).unique()
        self.inputs = Inputs()
        super().__init__(learner, settings, ranks)

    @abstractmethod
    def place(self, data: Data) -> None:
        r"""Checks that the data are on the learner's device, or moves them
        there.
        """

    @abstractmethod
    def predict(self) -> Any:
        r"""The predictions for all nodes."""

    @property
    def num_labels(self) -> float:
        return float(self.train_nodes.numel())

    def initialize(self) -> None:
        self.predict()

    def fingerprint(self) -> dict[str, str]:
        return {
            **super().fingerprint(),
            'data.x': digest(self.x),
            'data.y': digest(self.y),
            'data.train_mask': digest(self.train_nodes),
            'data.val_mask': digest(self.val_nodes),
        }

    def validate(self, epoch: int) -> tuple[float, float]:
        self.logits.gather()
        # One process validates, so that all choose the same best epoch:
        likelihood = self.learner.likelihood
        return self.ranks.from_first(
            lambda: evaluate(
                self.predict(), self.y, self.val_nodes, likelihood
            )
        )

    def check_outputs(self, out: Tensor) -> None:
        r"""Raises an error if the network has too few outputs, also for the
        labels of validation.
        """
        check, n = self.learner.likelihood.check_labels, self.y.size(0)
        self.inputs.check_labels(check, self.y, self.labelled, n, out.size(-1))
