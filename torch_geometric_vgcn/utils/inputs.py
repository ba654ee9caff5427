from collections.abc import Callable
from typing import Any
from weakref import ref

import torch
from torch import Tensor

from torch_geometric_vgcn.utils.constraints import check_kind
from torch_geometric_vgcn.utils.data import check_features


def as_stack(out: Any, count: int | None = None) -> Tensor:
    r"""The outputs for several graphs, of shape :obj:`[S, N, C]`. Expects them
    in this shape, or one of shape :obj:`[N, C]`, and as many as :obj:`count`.
    """
    check_kind(out, Tensor, 'out')
    if out.dim() not in (2, 3):
        raise ValueError(
            f"'out' must have shape [N, C] or [S, N, C], got {list(out.shape)}"
        )
    stack = out if out.dim() > 2 else out.unsqueeze(0)
    if count is not None and len(stack) != count:
        raise ValueError(
            f"'out' must hold {count} outputs, one for each graph that it "
            f'came from, got shape {list(stack.shape)}'
        )
    return stack


class Inputs:
    r"""Checks of what a learner is called with. To look at values means to
    wait for a device, which no training step should do: a tensor is looked at
    the first time that it comes, and again only after it was changed.
    """

    def __init__(self) -> None:
        self._seen: dict[str, list[tuple[ref[Any], int]]] = {}

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
                f'x[{num_nodes}]', lambda: check_features(x, num_nodes), x
            )

    def check_observed(self, edge_index: Any, prior: Any) -> None:
        r"""Expects the graph that the prior was made from."""
        self._once(
            'edge_index',
            lambda: prior.check_observed(edge_index),
            edge_index,
            prior,
        )

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

        def look() -> None:
            nodes = torch.arange(num_nodes) if mask is None else mask
            check(y, nodes, num_nodes, 'mask', allow_none, num_outputs)

        given = (y,) if mask is None else (y, mask)
        self._once(f'y[{num_nodes}, {num_outputs}]', look, *given)

    def _once(
        self, name: str, check: Callable[[], None], *values: Any
    ) -> None:
        r"""Calls :obj:`check` unless the last values of this name that passed
        it were the same ones.
        """
        if not isinstance(values[0], Tensor) or any(
            isinstance(value, Tensor) and value.is_inference()
            for value in values  # whose changes aren't counted
        ):
            check()
            return
        seen = self._seen.get(name, [])
        if len(seen) == len(values) and all(
            known() is value and version == getattr(value, '_version', 0)
            for (known, version), value in zip(seen, values, strict=True)
        ):
            return
        check()
        self._seen[name] = [
            (ref(value), getattr(value, '_version', 0)) for value in values
        ]

    def __getstate__(self) -> dict:
        return {'_seen': {}}
