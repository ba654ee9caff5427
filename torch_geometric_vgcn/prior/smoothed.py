from typing import Any

import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import Candidates, Pairs
from torch_geometric_vgcn.prior.base import Prior, default_background, logit
from torch_geometric_vgcn.utils import (
    PROBABILITY,
    Instance,
    checked,
    lists_edges,
    observed_graph,
    pair_key,
)


class SmoothedPrior(Prior):
    r"""The smoothed observed graph of the `"Variational Inference for Graph
    Convolutional Networks in the Absence of Graph Data and Adversarial
    Settings" <https://arxiv.org/abs/1906.01852>`_ paper

    .. math::
        \rho^o_{ij} = \bar\rho_1 \bar A_{ij} + \bar\rho_0 (1 - \bar A_{ij}).

    The observed graph :math:`\bar{\mathbf{A}}` is given, or made from the
    features (:class:`~torch_geometric_vgcn.transforms.KNNGraph`). An edge
    observed in one direction counts for both (the union).

    Args:
        edge_index (Any): The observed graph: a tensor or array of shape
            :obj:`[2, E]`, PyG's :class:`EdgeIndex`, a sparse adjacency matrix
            (PyTorch, SciPy, torch-sparse), a NetworkX graph, a DataFrame of
            two columns or a list of pairs. Nodes are the numbers :math:`0` to
            :math:`N - 1`. Edges have no weights but one, and zero for none.
        num_nodes (int, optional): The number of nodes :math:`N`, unless a
            matrix or a NetworkX graph tells it. (default: :obj:`None`)
        rho1 (float, optional): The probability :math:`\bar\rho_1` of an
            observed edge. (default: :obj:`0.25`)
        rho0 (float, optional): The probability :math:`\bar\rho_0` of any
            other pair. (default: :obj:`1e-5`, less for graphs larger than
            Citeseer)
        pairs (Pairs, optional): The pairs with a logit of their own:
            :class:`~torch_geometric_vgcn.pairs.AllPairs` for the paper's
            dense model. (default: the observed edges, as
            :class:`~torch_geometric_vgcn.pairs.Candidates`)
        edge_attr (Tensor, optional): The attributes of the observed edges, of
            shape :obj:`[E, ...]`, for convs that take them, in the order of
            :obj:`edge_index`, which then lists the edges. A direction
            without its own has those of the other; pairs without any have
            the mean. (default: :obj:`None`)
    """

    @checked(rho1=PROBABILITY, rho0=PROBABILITY, pairs=Instance(Pairs))
    def __init__(
        self,
        edge_index: Any,
        num_nodes: int | None = None,
        rho1: float = 0.25,
        rho0: float | None = None,
        pairs: Pairs | None = None,
        edge_attr: Tensor | None = None,
    ) -> None:
        if edge_attr is not None and not lists_edges(edge_index):
            raise ValueError(
                "'edge_attr' must come with edges in a given order, such as "
                "an 'edge_index' of shape [2, E], got "
                f'{type(edge_index).__name__}'
            )
        edge_index, num_nodes = observed_graph(edge_index, num_nodes)
        if pairs is None:
            pairs = Candidates(edge_index, num_nodes)
        if pairs.num_nodes != num_nodes:
            raise ValueError(
                f"'pairs' must be over 'num_nodes' = {num_nodes} nodes, "
                f'got {pairs.num_nodes}'
            )
        if rho0 is None:
            rho0 = default_background(num_nodes)
        values = torch.tensor([logit(rho0), logit(rho1)])
        values = values.to(pairs.device)
        observed = pairs.contains(edge_index)
        missing = pair_key(edge_index, num_nodes).unique().numel()
        missing -= int(observed.sum())
        if missing > 0:
            raise ValueError(
                f"'pairs' must contain each observed edge, got {missing} "
                "undirected edges in 'edge_index' that it doesn't"
            )
        logits = values[observed.long()]
        super().__init__(pairs, logits, rho0, edge_index, edge_attr)
        self.rho1 = rho1
        self.rho0 = rho0

    def extra_repr(self) -> str:
        return f'rho1={self.rho1:.3g}, rho0={self.rho0:.3g}'


class ConstantPrior(Prior):
    r"""The same probability for each of the pairs,
    :math:`\rho^o_{ij} = \rho`: no graph was observed.

    Args:
        pairs (Pairs): The pairs with a logit of their own.
        rho (float): Their probability :math:`\rho`.
        background (float, optional): The probability of the pairs outside
            :obj:`pairs`. (default: :obj:`1e-5`, less for graphs larger than
            Citeseer)
    """

    @checked(pairs=Instance(Pairs), rho=PROBABILITY, background=PROBABILITY)
    def __init__(
        self,
        pairs: Pairs,
        rho: float,
        background: float | None = None,
    ) -> None:
        value = logit(rho)
        logits = torch.full((len(pairs),), value, device=pairs.device)
        super().__init__(pairs, logits, background)
