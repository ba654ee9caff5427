from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    check_call,
    check_finite,
    no_attributes,
)
from torch_geometric_vgcn.message_passing.proof import Proof, gradient
from torch_geometric_vgcn.message_passing.twins import has_hooks
from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.utils import explained


class ProvedRoute:
    r"""The first of some routes that is proved to be exact for a conv, on the
    first graph that comes (:class:`Proof`).

    The proof is made again for another kind of features (sparse, of another
    type, on another device), with edge attributes instead of without, and
    after a change of the conv's modules or hooks.

    Args:
        *routes (Route): The routes to choose from, the best first.
    """

    def __init__(self, *routes: Route) -> None:
        self.routes = routes
        self._proved: dict[Hashable, Route] = {}
        self._used: set[Hashable] = set()  # kinds of calls that went well

    def __call__(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes = no_attributes,
    ) -> Tensor:
        r"""Calls the conv on each sampled graph, as :class:`Route` does."""
        check_call(conv, x, sample)
        compiled = torch.compiler.is_compiling()
        route, use = self._route(conv, x, sample, attributes, compiled)
        if compiled:
            return route(conv, x, sample, attributes)
        with explained(conv, x):
            out = route(conv, x, sample, attributes)
        if use not in self._used:
            check_finite(conv, out)
            if sample.weight.requires_grad:
                check_gradient(conv, out, sample)
            self._used.add(use)
        return out

    @contextmanager
    def unchanged(self, x: Tensor) -> Iterator[None]:
        r"""Promises that :obj:`x` isn't changed inside."""
        with ExitStack() as stack:
            for route in self.routes:
                stack.enter_context(route.unchanged(x))
            yield

    @torch.compiler.disable
    def _route(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes,
        compiled: bool,
    ) -> tuple[Route, Hashable]:
        r"""The route for such a call, and what kind of call it is."""
        plain = attributes is no_attributes
        kinds = _kind(conv), _kind_of_features(x), _kind_of_sample(sample)
        key = (*kinds, plain, compiled)
        route = self._proved.get(key)
        if route is None:
            route = self._choose(conv, x, sample, attributes, compiled)
            self._proved[key] = route
        return route, (*key, sample.weight.requires_grad)

    def _choose(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes,
        compiled: bool,
    ) -> Route:
        proof = Proof(conv, x, sample, attributes)
        proof.initialize(self.routes[-1])
        if not self.routes[-1].deletes:
            proof.check()
        plain = attributes is no_attributes
        reason = 'no route takes such features or edge attributes'
        for route in self.routes:
            if compiled and not route.compiles:
                continue
            if not route.fits(conv, x, sample, not plain):
                continue
            if route.deletes:
                proof.works(route)
            elif (difference := proof.differs(route)) is not None:
                reason = difference
                continue
            if not proof.depends(route):
                raise TypeError(
                    f"'conv' ({type(conv).__name__}) ignores the edges that "
                    'it is given: pass them on to its convs'
                )
            return route
        if x.layout != torch.strided:
            raise TypeError(
                f"'conv' ({type(conv).__name__}) can't take sparse features "
                f"'x' ({x.layout}) with relaxed edges: pass x.to_dense()"
            )
        raise TypeError(
            f"'conv' ({type(conv).__name__}) with edge weights of zero is not "
            f'what it is without those edges: {reason}: only hard samples fit '
            'it (sampler=Bernoulli())'
        )

    def __getstate__(self) -> dict[str, Any]:
        return {'routes': self.routes, '_proved': {}, '_used': set()}

    def __repr__(self) -> str:
        chosen = sorted({repr(route) for route in self._proved.values()})
        if chosen:
            return ', '.join(chosen)
        if len(self.routes) == 1:
            return repr(self.routes[0])
        names = [repr(route) for route in self.routes]
        return f'{" or ".join(names)}, decided on the first graph'


def check_gradient(conv: Module, out: Tensor, sample: GraphSample) -> None:
    r"""Raises an error if the output has no gradient by the weights: a model
    that detaches them would train without ever learning a graph.
    """
    if sample.weight.numel() and gradient(out, sample.weight) is None:
        raise TypeError(
            f"'conv' ({type(conv).__name__}) gives no gradient to the edges "
            'that it is given: use them with gradients'
        )


def _kind(conv: Module) -> Hashable:
    return tuple((type(m), has_hooks(m)) for m in conv.modules())


def _kind_of_features(x: Tensor) -> Hashable:
    return x.layout, x.dtype, x.device, x.dim()


def _kind_of_sample(sample: GraphSample) -> Hashable:
    pairs = sample.prior.pairs
    # Few pairs prove nothing for more:
    few = min(len(pairs), 2)
    return type(pairs), sample.weight.dtype, len(sample) > 1, few
