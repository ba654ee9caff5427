import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.index import index2ptr

from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.utils import (
    PROBABILITY,
    Instance,
    check_edge_index,
    check_floats,
    check_tensor,
    checked,
    entries_among,
    observed_graph,
    pair_key,
)


class Prior(Module):
    r"""A prior over graphs, independent Bernoullis over node pairs

    .. math::
        p(\mathbf{A}) = \prod_{i<j} \mathrm{Bern}(A_{ij} \mid \rho^o_{ij}),
        \quad 0 < \rho^o_{ij} < 1,

    held as logits.

    Args:
        pairs (Pairs): The pairs with a logit of their own.
        logits (Tensor): The prior's logits
            :math:`\theta^o_{ij} = \mathrm{logit}\, \rho^o_{ij}`, of shape
            :obj:`[P]`.
        background (float, optional): The probability that all pairs outside
            :obj:`pairs` share. (default: :obj:`1e-5`, less for graphs larger
            than Citeseer so that the expected degree stays the same)
        edge_index (Tensor, optional): The observed graph that the prior was
            made from. (default: :obj:`None`)
        edge_attr (Tensor, optional): The attributes of its edges, for convs
            that take them. (default: :obj:`None`)
    """

    logits: Tensor
    edge_index: Tensor | None
    edge_attr: Tensor | None

    @checked(pairs=Instance(Pairs), background=PROBABILITY)
    def __init__(
        self,
        pairs: Pairs,
        logits: Tensor,
        background: float | None = None,
        edge_index: Tensor | None = None,
        edge_attr: Tensor | None = None,
    ) -> None:
        super().__init__()
        check_floats(logits, (len(pairs),), 'logits')
        if not bool(logits.isfinite().all()):
            raise ValueError(
                "'logits' must be finite (probabilities strictly inside "
                '(0, 1)), got NaN or infinite values'
            )
        if edge_index is not None:
            # A subset may have no edges:
            check_edge_index(edge_index, pairs.num_nodes, empty=True)
        if edge_attr is not None:
            check_tensor(edge_attr, '[E, ...]', 'edge_attr')
        if edge_attr is not None and (
            edge_index is None
            or edge_attr.dim() == 0
            or edge_attr.size(0) != edge_index.size(1)
        ):
            raise ValueError(
                "'edge_attr' must have one row for each column of "
                f"'edge_index', got shape {list(edge_attr.shape)}"
            )
        if background is None:
            background = default_background(pairs.num_nodes)
        self.pairs = pairs
        self._rows: tuple[Tensor, Tensor, Tensor] | None = None
        self.background = background
        self.register_buffer('logits', logits)
        self.register_buffer('edge_index', edge_index, persistent=False)
        self.register_buffer('edge_attr', edge_attr, persistent=False)

    @property
    def num_nodes(self) -> int:
        return self.pairs.num_nodes

    @property
    def probs(self) -> Tensor:
        r"""The prior probabilities :math:`\rho^o_{ij}`, of shape
        :obj:`[P]`.
        """
        return self.logits.sigmoid()

    @property
    def has_background(self) -> bool:
        r"""Whether there are pairs outside :obj:`pairs`."""
        return self.pairs.has_background

    @property
    def background_logit(self) -> float:
        r"""The logit of the pairs outside :obj:`pairs`."""
        return logit(self.background)

    def subset(self, node_id: Tensor) -> 'Prior':
        r"""The prior of the graph among the nodes :obj:`node_id`."""
        pairs = self.pairs.subset(node_id)
        node_id = node_id.to(self.logits.device).long()
        edge_index, edge_attr = self._observed_among(node_id)
        logits = self.logits[pairs.places_in(self.pairs)]
        return Prior(pairs, logits, self.background, edge_index, edge_attr)

    def _observed_among(
        self, node_id: Tensor
    ) -> tuple[Tensor | None, Tensor | None]:
        r"""The observed edges among some nodes, and their attributes."""
        if self.edge_index is None:
            return None, None
        row, col = self.edge_index
        if self._rows is None or self._rows[0].device != row.device:
            # Sorted once, so that a subset costs no more than its own edges:
            with torch.inference_mode(False):
                row, order = row.sort(stable=True)
                pointer = index2ptr(row, size=self.num_nodes)
                self._rows = (pointer, col[order], order)
        pointer, col, order = self._rows
        place, index = entries_among(pointer, col, node_id)
        edge, place = order[place].sort()
        edge_attr = self.edge_attr
        return index[:, place], None if edge_attr is None else edge_attr[edge]

    def check_observed(self, edge_index: Any) -> None:
        r"""Raises an error if :obj:`edge_index` isn't the graph that this
        prior was made from.
        """
        if self.edge_index is None:
            raise ValueError(
                "'edge_index' was given, but the prior was made from no "
                'observed graph: call the learner without it'
            )
        edge_index, _ = observed_graph(edge_index, self.num_nodes)
        if edge_index.shape == self.edge_index.shape and torch.equal(
            edge_index, self.edge_index
        ):
            return
        given = pair_key(edge_index, self.num_nodes).unique()
        made_from = pair_key(self.edge_index, self.num_nodes).unique()
        if not torch.equal(given, made_from):
            raise ValueError(
                "'edge_index' must be the graph that the prior was made from "
                f'({made_from.numel()} undirected edges), got another one '
                f'({given.numel()} undirected edges, '
                f'{int(torch.isin(given, made_from).sum())} of them in '
                "common): call the learner without 'edge_index' for a batch "
                'of nodes, with their ids as prior=learner.prior.subset(n_id)'
                '; make a new prior for a new graph'
            )

    def get_extra_state(self) -> dict[str, float]:
        return {'background': self.background}

    def set_extra_state(self, state: Any) -> None:
        if state != self.get_extra_state():
            raise ValueError(
                f'the state to load was saved with a prior of {state}, '
                f'expected {self.get_extra_state()}: build the learner with '
                'the same prior'
            )

    def _load_from_state_dict(
        self, state_dict: Mapping[str, Any], prefix: str, *args: Any
    ) -> None:
        # A posterior's logits mean nothing beside another prior's.
        saved = state_dict.get(prefix + 'logits')
        if isinstance(saved, Tensor):
            self._check_saved(saved)
        super()._load_from_state_dict(state_dict, prefix, *args)

    def _check_saved(self, saved: Tensor) -> None:
        own = self.logits
        if saved.shape != own.shape:
            raise ValueError(
                f'the state to load was saved with a prior of '
                f'{saved.numel()} pairs, expected {own.numel()}: build the '
                'learner from the same graph'
            )
        # As exact as the less precise of both:
        eps = max(torch.finfo(t.dtype).eps for t in (saved, own))
        saved = saved.to(own.device, own.dtype)
        if not torch.allclose(own, saved, rtol=100 * eps, atol=100 * eps):
            change = (own.sigmoid() - saved.sigmoid()).abs().max()
            raise ValueError(
                'the state to load was saved with another prior: its '
                f'probabilities differ by up to {float(change):.2g}; build '
                'the learner with the same prior'
            )

    def extra_repr(self) -> str:
        return f'background={self.background:.3g}'


def default_background(num_nodes: int) -> float:
    r"""The paper's :math:`\bar\rho_0 = 10^{-5}`, shrinking like :math:`1/N`
    beyond Citeseer's 3,327 nodes, so that the expected background degree
    stays at 0.03.
    """
    return 1e-5 * min(1.0, 3327 / num_nodes)


def logit(prob: float) -> float:
    return math.log(prob) - math.log1p(-prob)


def sigmoid(logit: float) -> float:
    odds = math.exp(-abs(logit))  # can't overflow
    return 1 / (1 + odds) if logit >= 0 else odds / (1 + odds)
