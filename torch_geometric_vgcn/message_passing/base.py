from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import MessagePassing

from torch_geometric_vgcn.sample import GraphSample

# Further arguments of a conv, given the edges that it is called with.
Attributes = Callable[[Tensor], dict[str, Any]]


def no_attributes(edge_index: Tensor) -> dict[str, Any]:
    return {}


class Route(ABC):
    r"""A way for a sampled graph into a conv or model, such that weights in
    :math:`\{0, 1\}` give exactly what deleting the edges gives.

    Args:
        conv (torch.nn.Module): The conv or model.
    """

    def __init__(self, conv: Module) -> None:
        self.checked = False
        reason = self.refuses(conv)
        if reason is not None:
            raise TypeError(reason)

    @staticmethod
    def refuses(conv: Module) -> str | None:
        r"""Why :obj:`conv` can't take this route, or :obj:`None`."""
        name, convs = type(conv).__name__, message_passing_modules(conv)
        if len(convs) == 0:
            return f"'conv' ({name}) contains no PyG message passing layer"
        for module in convs:
            if getattr(module, 'cached', False):
                return (
                    f"'conv' ({name}) contains {type(module).__name__}"
                    '(cached=True), which would ignore all graphs but the '
                    'first'
                )
        return None

    @abstractmethod
    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> tuple[Tensor, Tensor]:
        r"""Calls the conv on the :obj:`s`-th graph. Returns its output and the
        weights that went in.
        """

    def __call__(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes = no_attributes,
    ) -> Tensor:
        r"""Calls the conv on each sampled graph, with features
        :obj:`[N, F]`, or :obj:`[S, N, F]` for each its own. Stacks the outputs
        if there are several.
        """
        outs = []
        for s in range(len(sample)):
            own = x[s] if x.dim() > 2 else x
            out, weight = self.carry(conv, own, sample, s, attributes)
            self.check(conv, out, weight)
            outs.append(out)
        return outs[0] if len(outs) == 1 else torch.stack(outs)

    def check(self, conv: Module, out: Tensor, weight: Tensor) -> None:
        r"""Once, raises an error if the output doesn't depend on the weights:
        a model that drops them would train without ever learning a graph.
        """
        if self.checked or not weight.requires_grad:
            return
        grad = None
        if out.requires_grad:
            (grad,) = torch.autograd.grad(
                out.sum(), weight, retain_graph=True, allow_unused=True
            )
        if grad is None:
            raise TypeError(
                f"'conv' ({type(conv).__name__}) ignores the edge weights "
                'that it is given: pass them on to its convs'
            )
        self.checked = True

    def __repr__(self) -> str:
        return f'{type(self).__name__}()'


def message_passing_modules(conv: Module) -> list[MessagePassing]:
    return [m for m in conv.modules() if isinstance(m, MessagePassing)]


@contextmanager
def overridden(
    overrides: Iterable[tuple[Module, str, Any]],
) -> Iterator[None]:
    r"""Gives modules other attributes for a while. What else they change in
    themselves meanwhile stays.
    """
    before = []
    try:
        for module, name, value in overrides:
            state = module.__dict__
            before.append((state, name, name in state, state.get(name)))
            state[name] = value
        yield
    finally:
        for state, name, had, value in reversed(before):
            if had:
                state[name] = value
            else:
                state.pop(name, None)
