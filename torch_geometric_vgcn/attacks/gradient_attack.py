import warnings
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn.attacks.amount import check_amount, count_of
from torch_geometric_vgcn.attacks.surrogate import Surrogate
from torch_geometric_vgcn.attacks.trained_gcn import TrainedGCN
from torch_geometric_vgcn.transforms.perturbation import change_graph, edges_of
from torch_geometric_vgcn.transforms.splits import labels_of
from torch_geometric_vgcn.utils import (
    Seeded,
    check_callable,
    check_count,
    check_features,
    check_seed,
    count_nodes,
    pair_key,
    selected_nodes,
)

with warnings.catch_warnings():  # of 'contrib', that it may change
    warnings.simplefilter('ignore')
    from torch_geometric.contrib.nn import PRBCDAttack


class GradientAttack(BaseTransform):
    r"""The attacks of the `"Robustness of Graph Neural Networks at Scale"
    <https://arxiv.org/abs/2110.14038>`_ paper (PRBCD and GRBCD of PyG) as a
    transform: with the gradient of a trained surrogate network, they look for
    the

    .. math::
        \max_{\tilde{\mathbf{A}}} \; \mathcal{L} \big( f_{\mathrm{surrogate}}
        (\tilde{\mathbf{A}}, \mathbf{X}), \mathbf{y} \big) \quad
        \textrm{such that} \quad \| \tilde{\mathbf{A}} - \mathbf{A} \|_0 \leq
        2 \Delta,

    over the nodes in :obj:`data.test_mask`, or over all outside
    :obj:`data.train_mask` if there is none. Networks that are trained on the
    changed graph are poisoned by transfer.

    The attacker is a strong one: it knows the labels of the nodes that it
    attacks. Where :obj:`data.y` is below zero, the surrogate's prediction
    stands for the label. At most :math:`\Delta` edges are added or removed,
    fewer if that hurts the surrogate more, and a node may lose its last one.
    What was changed is recorded in :obj:`data.added_pairs` and
    :obj:`data.removed_pairs`. The time is that of about :obj:`2 * epochs`
    passes of the surrogate over a graph of :obj:`block_size` further edges.

    .. code-block:: python

        GradientAttack(0.25)  # against a GCN
        GradientAttack(0.25, attack=GRBCDAttack)
        GradientAttack(0.25, LearnerSurrogate())  # against a known defence

    Args:
        budget (int or float): The number :math:`\Delta` of edges to change,
            or their share of all edges.
        surrogate (callable, optional): Trains the network to attack, as
            :obj:`surrogate(data) -> Module`, called by
            :obj:`module(x, edge_index, edge_weight=edge_weight)`.
            (default: :class:`TrainedGCN`)
        attack (type, optional): PyG's attack,
            :class:`~torch_geometric.contrib.nn.PRBCDAttack` or
            :class:`~torch_geometric.contrib.nn.GRBCDAttack`, or a
            :class:`functools.partial` of it.
            (default: :class:`~torch_geometric.contrib.nn.PRBCDAttack`)
        block_size (int, optional): How many random pairs the attack looks at
            in each step, which bounds its memory. More are taken where
            :obj:`budget` needs them. (default: :obj:`250_000`)
        epochs (int, optional): The number of steps. (default: :obj:`125`)
        seed (int, optional): The seed of all that the surrogate and the
            attack draw by PyTorch, in this thread; the global one is neither
            read nor moved. (default: :obj:`0`)
    """

    def __init__(
        self,
        budget: int | float,
        surrogate: Callable[[Data], Module] | None = None,
        attack: Callable[..., PRBCDAttack] = PRBCDAttack,
        block_size: int = 250_000,
        epochs: int = 125,
        seed: int = 0,
    ) -> None:
        check_callable(surrogate, 'surrogate')
        self.budget = check_amount(budget, 'budget', most=1)
        self.surrogate = TrainedGCN() if surrogate is None else surrogate
        self.kind = _kind_of(attack)
        self.attack = attack
        self.block_size = check_count(block_size, 'block_size', least=1)
        self.epochs = check_count(epochs, 'epochs', least=1)
        self.seed = check_seed(seed)

    def forward(self, data: Data) -> Data:
        edges, num_nodes = edges_of(data), count_nodes(data)
        check_features(data.get('x'), num_nodes, 'data.x')
        y, nodes = labels_of(data), _attacked(data)
        budget = self._count(edges.size(1), num_nodes)
        given = copy(data)
        given.edge_index = to_undirected(edges, num_nodes=num_nodes)
        given.edge_index = given.edge_index.to(data.x.device)
        with Seeded(self.seed):
            surrogate = Surrogate(self.surrogate(copy(given)))
            out = surrogate.check(given.x, given.edge_index, int(y.max()) + 1)
            label = torch.where(y < 0, out.argmax(dim=-1).cpu(), y)
            found = self._run(surrogate, given, label, budget, nodes)
        old = pair_key(edges, num_nodes)
        new = pair_key(found.cpu(), num_nodes).unique()
        pairs = torch.stack([new // num_nodes, new % num_nodes])
        added = pairs[:, ~torch.isin(new, old)]
        removed = edges[:, ~torch.isin(old, new)]
        return change_graph(data, edges, added, removed)

    def _count(self, num_edges: int, num_nodes: int) -> int:
        budget = count_of(self.budget, num_edges, 'budget')
        if budget > num_edges:
            raise ValueError(
                f"'budget' must be at most {num_edges}, the number of edges, "
                f'got {budget}'
            )
        if budget == num_nodes * (num_nodes - 1) // 2:
            raise ValueError(
                f"'budget' must be below the number of pairs, got {budget}, "
                'which leaves nothing to choose'
            )
        return budget

    def _run(
        self,
        surrogate: Module,
        data: Data,
        label: Tensor,
        budget: int,
        nodes: Tensor,
    ) -> Tensor:
        coeffs = self.kind.coeffs  # of the class, but changed by each object
        before, device = dict(coeffs), data.x.device
        try:
            attack = self.attack(
                surrogate,
                block_size=self._draws(budget, data.x.size(0)),
                epochs=self.epochs,
                is_undirected=True,
                log=False,
            )
            found, _ = attack.attack(
                data.x,
                data.edge_index,
                label.to(device),
                budget,
                nodes.to(device),
            )
            return found
        except RuntimeError as error:
            if 'Sampling random block' not in str(error):
                raise
            raise RuntimeError(
                f"'attack' found too few random pairs for a 'budget' of "
                f"{budget} edges: raise 'block_size' (now {self.block_size})"
            ) from error
        finally:
            coeffs.clear()
            coeffs.update(before)

    def _draws(self, budget: int, num_nodes: int) -> int:
        r"""The number of pairs to draw with replacement, so that the distinct
        ones are more than :obj:`budget`.
        """
        num_pairs = num_nodes * (num_nodes - 1) // 2
        enough = 20 * num_pairs  # to draw each one, almost surely
        few = 2 * budget <= num_pairs
        least = 4 * budget if few else enough
        return min(max(self.block_size, least), enough)

    def __repr__(self) -> str:
        return (
            f'{type(self).__name__}(budget={self.budget}, '
            f'surrogate={self.surrogate}, attack={self.kind.__name__}, '
            f'block_size={self.block_size}, epochs={self.epochs}, '
            f'seed={self.seed})'
        )


def _kind_of(attack: Any) -> type[PRBCDAttack]:
    kind = attack
    while isinstance(kind, partial):
        kind = kind.func
    if not (isinstance(kind, type) and issubclass(kind, PRBCDAttack)):
        raise TypeError(
            "'attack' must be PyG's PRBCDAttack or GRBCDAttack, or a partial "
            f'of it, got {attack!r}'
        )
    return kind


def _attacked(data: Data) -> Tensor:
    r"""The nodes whose predictions are attacked."""
    num_nodes = count_nodes(data)
    if data.get('test_mask') is not None:
        return selected_nodes(data.test_mask, num_nodes, 'data.test_mask')
    if data.get('train_mask') is None:
        raise ValueError(
            "'data' must have 'test_mask' or 'train_mask', which tell the "
            f'nodes to attack, got {", ".join(sorted(data.keys()))}'
        )
    train = selected_nodes(data.train_mask, num_nodes, 'data.train_mask')
    node = torch.arange(num_nodes, device=train.device)
    rest = node[~torch.isin(node, train)]
    if rest.numel() == 0:
        raise ValueError(
            "'data.train_mask' must leave nodes to attack, got all"
        )
    return rest
