from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch
from torch import Tensor

from torch_geometric_vgcn.utils.data import check_features
from torch_geometric_vgcn.utils.once import CheckOnce

if TYPE_CHECKING:
    from torch_geometric_vgcn.prior import Prior


class Inputs:
    r"""Checks of what a learner is called with. What has to be read back from
    a device is looked at once for each tensor.
    """

    def __init__(self) -> None:
        self._once = CheckOnce()
        self._prior: ref[Prior] | None = None  # that checks were made for

    def check_features(self, x: Tensor, num_nodes: int) -> None:
        r"""Expects finite features with one row for each node."""
        if isinstance(x, Tensor) and x.dim() >= 2 and x.size(-2) != num_nodes:
            raise ValueError(
                f"'x' must have one row for each of the {num_nodes} nodes, "
                f'got shape {list(x.shape)}: a batch of nodes needs their own '
                'prior, prior=learner.prior.subset(n_id)'
            )
        check_features(x, num_nodes, values=False)
        # Those of hidden layers come and go, and would be waited for:
        if x.is_leaf:
            self._once(
                f'x[{num_nodes}]', lambda x: check_features(x, num_nodes), x
            )

    def check_observed(self, edge_index: Any, prior: Prior) -> None:
        r"""Expects the graph that the prior was made from."""
        known = None if self._prior is None else self._prior()
        if known is prior and isinstance(edge_index, Tensor):
            self._once('edge_index', prior.check_observed, edge_index)
        else:
            prior.check_observed(edge_index)
            self._once = CheckOnce()
            self._prior = ref(prior)

    def check_labels(
        self,
        check: Callable[..., None],
        y: Tensor,
        mask: Tensor | None,
        num_nodes: int,
        num_outputs: int,
        allow_none: bool = False,
    ) -> None:
        r"""Expects labels that pass :obj:`check` (that of a likelihood) at the
        nodes that :obj:`mask` selects.
        """

        def look(y: Tensor, mask: Tensor | None = None) -> None:
            if mask is None:
                mask = torch.arange(num_nodes)
            check(y, mask, num_nodes, 'mask', allow_none, num_outputs)

        given = (y,) if mask is None else (y, mask)
        self._once(f'y[{num_nodes}, {num_outputs}]', look, *given)

    def __getstate__(self) -> dict:
        return {'_once': CheckOnce(), '_prior': None}
