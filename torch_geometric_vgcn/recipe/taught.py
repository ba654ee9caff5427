from typing import Any, cast

import torch
from torch import Tensor
from torch.optim import Adam
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils._python_dispatch import _disable_current_modes

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.models import (
    LabelPropagation,
    ValuePropagation,
)
from torch_geometric_vgcn.objective import Gaussian
from torch_geometric_vgcn.posterior import ClassPosterior, FreePosterior
from torch_geometric_vgcn.recipe.effort import Effort
from torch_geometric_vgcn.recipe.members import (
    LearnedMember,
    Learner,
    Member,
    Source,
)
from torch_geometric_vgcn.recipe.sources import (
    given_graph,
    more_neighbors,
    nearest_neighbors,
    no_graph,
)
from torch_geometric_vgcn.recipe.task import Task
from torch_geometric_vgcn.sample import PosteriorMean
from torch_geometric_vgcn.utils.constraints import (
    LARGEST,
    NUMBER,
    SHARE,
    SIZE,
    Flag,
    Interval,
    checked,
)

LR, TEMPERATURE = 0.01, 0.5
#: How strongly networks are kept from overfitting.
MEDIUM = {'input_dropout': 0.3, 'weight_decay': 1e-3}
LIGHT = {'input_dropout': 0.0, 'weight_decay': 1e-4}
STRONG = {'input_dropout': 0.5, 'weight_decay': 1e-2}
#: How often edges and expectations are brought in line with each other.
TURNS = 2


class TaughtMember(LearnedMember):
    r"""Label propagation, for tables of many rows: the bound of
    :class:`~torch_geometric_vgcn.SemiSupervisedELBO` maximised by turns.
    First the network learns the labels, then edges and classes of all nodes
    are inferred, and the network learns these classes, as they are at the
    temperature of the bound's targets; in the end edges and classes are
    inferred again. The network sees rows alone, so that it learns from
    mini-batches of them.

    Args:
        name (str): Its name, in tables.
        *sources (Callable): Where its graph comes from, as for
            :class:`Member`.
        rho1 (float, optional): How probable an edge of the sources is before
            training. (default: :obj:`0.5`)
        evidence (float, optional): How much similar features speak for an
            edge. (default: :obj:`2.0`)
        input_dropout (float, optional): The share of features to drop.
            (default: :obj:`0.0`)
        weight_decay (float, optional): The L2 penalty on the network's
            weights. (default: :obj:`1e-4`)
        hidden (int, optional): The number of hidden units.
            (default: :obj:`256`)
        steps (int, optional): The number of steps each time.
            (default: :obj:`400`)
        batch_size (int, optional): The number of rows per step.
            (default: :obj:`512`)
        learn (bool, optional): Whether edges are inferred; otherwise they
            keep their prior. (default: :obj:`True`)
    """

    @checked(
        input_dropout=SHARE,
        weight_decay=NUMBER,
        hidden=SIZE,
        steps=SIZE,
        batch_size=Interval(int, 2, LARGEST),
        learn=Flag(),
    )
    def __init__(
        self,
        name: str,
        *sources: Source,
        rho1: float = 0.5,
        evidence: float = 2.0,
        input_dropout: float = 0.0,
        weight_decay: float = 1e-4,
        hidden: int = 256,
        steps: int = 400,
        batch_size: int = 512,
        learn: bool = True,
    ) -> None:
        super().__init__(name, *sources, rho1=rho1, evidence=evidence)
        self.input_dropout = input_dropout
        self.weight_decay = weight_decay
        self.hidden = hidden
        self.steps = steps
        self.batch_size = batch_size
        self.learn = learn

    def make_network(self, task: Task) -> LabelPropagation:
        kind = ValuePropagation if task.quantity else LabelPropagation
        network = kind(
            task.num_features,
            self.hidden,
            task.train,
            task.value[task.train],
            self.input_dropout,
        )
        return network.to(task.x.device, task.x.dtype)

    def learner(self, task: Task) -> Learner:
        network, edge_index = self.make_network(task), self.graph(task)
        noise = Gaussian(1) if task.quantity else None
        if edge_index.numel() == 0:
            return FixedGraph(network, edge_index, noise)
        posterior = ClassPosterior(momentum=1.0)
        return VariationalGraphLearner(
            network,
            self.prior(task),
            FreePosterior() if task.quantity else posterior,
            PosteriorMean(),
            likelihood=noise,
        )

    def fit(
        self,
        learner: Learner,
        x: Tensor,
        task: Task,
        effort: Effort,
        epochs: int | None = None,
    ) -> int:
        labels = task.train, task.value[task.train]
        self._learn(learner, x, [labels])
        if isinstance(learner, FixedGraph):
            return self.steps
        other = torch.ones_like(task.y, dtype=torch.bool)
        other[task.train] = False
        rest = other.nonzero().view(-1)
        out = self._infer(learner, x, task)
        if rest.numel() > 0:
            network = cast(LabelPropagation, learner.conv)
            target = network.sharpened(network.mean(out[rest]), TEMPERATURE)
            self._learn(learner, x, [labels, (rest, target)])
            self._infer(learner, x, task)
        return self.steps

    @torch.no_grad()
    def _infer(
        self, learner: VariationalGraphLearner, x: Tensor, task: Task
    ) -> Tensor:
        r"""Edges from the classes of their ends, and these from edges, in
        turn. Returns the outputs.
        """
        out = learner(x)
        for _ in range(TURNS if self.learn and not task.quantity else 0):
            learner.posterior.observe(
                out.unsqueeze(0), task.y, task.train, learner.prior
            )
            out = learner(x)
        return out

    def _learn(
        self, learner: Learner, x: Tensor, groups: list[tuple[Tensor, Tensor]]
    ) -> None:
        r"""Trains the network by mini-batches, in which each group of rows is
        as large, towards their targets.
        """
        network = cast(LabelPropagation, learner.conv)
        learner.train()
        optimizer = Adam(
            network.parameters(),
            LR,
            weight_decay=self.weight_decay,
            fused=True,
        )
        rate = OneCycleLR(optimizer, LR, total_steps=self.steps)
        size = max(1, self.batch_size // len(groups))
        generator = torch.Generator(x.device)
        generator.manual_seed(int(torch.randint(2**62, ())))
        # Small steps would take twice as long where all randomness is
        # watched; here it has a generator.
        with _disable_current_modes():
            for _ in range(self.steps):
                loss = x.new_zeros(())
                for rows, target in groups:
                    if rows.numel() > size:
                        some = torch.randint(
                            rows.numel(),
                            (size,),
                            generator=generator,
                            device=x.device,
                        )
                        rows, target = rows[some], target[some]
                    out = network.alone(x[rows], generator)
                    loss = loss + network.loss(out, target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                rate.step()
        learner.eval()


def table_members(
    given: bool = False, trust: float | None = None, **options: Any
) -> list[Member]:
    r"""Members for tables, with or without a given graph. How strongly
    networks are kept from overfitting differs, as members are weighed anyway.

    Args:
        given (bool, optional): Whether there is a graph.
            (default: :obj:`False`)
        trust (float, optional): How probable edges are before training, in
            all members: then there is none without a graph.
            (default: :obj:`None`, 0.5, and 0.99 for given edges)
        **options: Further arguments of all members.
    """

    def make(name: str, *sources: Source, **settings: Any) -> Member:
        return TaughtMember(name, *sources, **MEDIUM | options | settings)

    rho1 = 0.5 if trust is None else trust
    members: list[Member] = []
    if trust is None:
        members += [
            make('no graph', no_graph),
            make('no graph, light', no_graph, **LIGHT),
            make('no graph, strong', no_graph, **STRONG),
        ]
    if trust is None or not given:
        source = nearest_neighbors
        members += [
            make('nearest neighbours', source, rho1=rho1),
            make('nearest neighbours, light', source, rho1=rho1, **LIGHT),
        ]
    if trust is None:
        name = 'more neighbours, trusted'
        members.append(make(name, more_neighbors, rho1=0.99))
    if given:
        sure = {'rho1': 0.99 if trust is None else trust, 'evidence': 0.0}
        members.append(make('given graph', given_graph, **sure))
    if given and trust is None:
        name = 'given graph and nearest neighbours'
        members += [
            make('given graph, doubted', given_graph, evidence=4.0),
            make(name, given_graph, nearest_neighbors, evidence=4.0),
        ]
    return members
