from dataclasses import dataclass

import torch
from torch import Tensor

from torch_geometric_vgcn.estimators.field import Field
from torch_geometric_vgcn.estimators.network import Network, Regularization
from torch_geometric_vgcn.estimators.task import Task


@dataclass
class Explained:
    r"""What was learned from the labels of some rows.

    Args:
        network (Network): The network.
        own (Tensor): What it says of each row, of shape :obj:`[N, D]`.
        mean (Tensor): What is expected of each row, with the graph.
        logits (Tensor, optional): The edges' logits, if there is a graph.
            (default: :obj:`None`)
    """

    network: Network
    own: Tensor
    mean: Tensor
    logits: Tensor | None = None


class Alternation:
    r"""Learns from the labels of some rows: first the network, then what is
    expected of all rows and which edges are right (:class:`Field`); then the
    network from what is expected, and so on.

    Args:
        task (Task): The features and the targets.
        rows (Tensor): The rows whose labels are used.
    """

    def __init__(self, task: Task, rows: Tensor) -> None:
        self.task = task
        self.rows = rows
        others = torch.ones(
            task.num_rows, dtype=torch.bool, device=rows.device
        )
        others[rows] = False
        self.others = others.nonzero().view(-1)

    def start(self, regularization: Regularization) -> Explained:
        r"""The network alone, trained with the labels."""
        task, network = self.task, self._network(regularization)
        network.learn(
            task.x,
            [(self.rows, task.targets.value[self.rows])],
            task.targets,
            task.steps,
            task.batch_size,
        )
        own = network.predict(task.x, task.targets)
        return Explained(network, own, own)

    def infer(self, state: Explained, field: Field | None) -> Explained:
        r"""The graph's part, for a given network."""
        if field is None:
            return state
        mean, logits = field(state.own, self.rows)
        return Explained(state.network, state.own, mean, logits)

    def teach(self, state: Explained, field: Field | None) -> Explained:
        r"""The network learns what is expected of rows without a label; then
        the graph's part is inferred again.
        """
        if self.others.numel() == 0:
            return state
        task, targets = self.task, self.task.targets
        network = self._network(state.network.regularization)
        network.load_state_dict(state.network.state_dict())
        groups = [
            (self.rows, targets.value[self.rows]),
            (self.others, targets.taught(state.mean[self.others])),
        ]
        network.learn(task.x, groups, targets, task.steps, task.batch_size)
        own = network.predict(task.x, targets)
        return self.infer(Explained(network, own, own), field)

    def _network(self, regularization: Regularization) -> Network:
        task = self.task
        return Network(
            task.x.size(1),
            task.hidden,
            task.targets.width,
            regularization,
            task.generator,
        )
