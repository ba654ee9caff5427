from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module, Parameter
from torch.nn.parameter import is_lazy
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    check_finite,
    check_output,
)
from torch_geometric_vgcn.message_passing.replica import (
    Precision,
    Replica,
    Tensors,
    double,
    evaluated,
    only_copies,
    single,
    snapshot,
    trial_of,
)
from torch_geometric_vgcn.message_passing.trial_sample import TrialSample
from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.utils import Seeded, explained, wide

# How far outputs may differ, relative to the largest: by rounding, and by
# what normalisations make of it.
TOLERANCE, TOLERANCE_OF_SINGLE = 1e-9, 1e-4
# Numbers of features, parameters and weights, beyond which they aren't copied
# in double precision (1 GB), and sparse features not made dense:
LARGE = 2**27
# What random numbers are replaced by:
CONSTANT = {
    'bernoulli': 1.0,
    'exponential': 1.0,
    'normal': 0.0,
    'rand': 0.5,
    'randint': 0,
    'randn': 0.0,
    'random': 0,
    'uniform': 0.5,
}


class Proof:
    r"""Compares routes with really deleting edges: on the first graph, with
    weights in :math:`\{0, 1\}`, in training and evaluation mode, in double
    precision if the conv can, and without dropout. Neither the model nor any
    random state is changed permanently.

    Args:
        conv (torch.nn.Module): The conv or model.
        x (Tensor): The node features.
        sample (GraphSample): The sampled graphs.
        attributes (Attributes): What goes along with edges.
    """

    def __init__(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes,
    ) -> None:
        self.conv = conv
        # The same tensor, if it can be: what is learned of it is remembered.
        self._given = x.detach() if x.requires_grad else x
        self._sample = TrialSample.of(sample)
        self._attributes = attributes
        # For convs that want no sparse x:
        self._dense: Tensor | None = None
        self._enter(single)

    def _enter(self, precision: Precision) -> None:
        r"""From now on, all numbers are of such a precision."""
        self.precision = precision
        self.x = precision(self._given)
        self.sample = self._sample.to(precision)
        # The conv as it is now, as another thread may train it between two
        # calls that are to be compared; made when it is needed:
        self.__dict__.pop('_still', None)

    @cached_property
    def _still(self) -> Module:
        return snapshot(self.conv, self.precision)

    def attributes(self, edge_index: Tensor) -> dict[str, Any]:
        return {
            name: self.precision(value)
            for name, value in self._attributes(edge_index).items()
        }

    def initialize(self, route: Route) -> None:
        r"""Gives lazy parameters their shapes, by a call without gradients."""
        if not any(map(is_lazy, self.conv.parameters())):
            return
        sample, x = self._some(1)
        with torch.inference_mode(False), torch.no_grad():
            with self._explained(x):
                route(evaluated(self.conv), x, sample, self.attributes)

    def works(self, route: Route) -> None:
        r"""Raises an error that explains why a conv can't be called."""
        sample, x = self._some(1)
        with _undisturbed(x.device):
            model = trial_of(self._still, training=False)
            with self._explained(x), only_copies(self.conv):
                out = route(model, x, sample, self.attributes)
        self._tried = x, sample, out

    def check(self) -> None:
        r"""Raises an error if the conv can't be called on edges alone: then no
        route can help. To be called before :meth:`differs`.
        """
        precisions = [double, single] if self._fits_in_double() else [single]
        trials = [(precision, False) for precision in precisions]
        if self.x.layout != torch.strided and self.x.numel() <= LARGE:
            trials += [(precision, True) for precision in precisions]
        for place, (precision, dense) in enumerate(trials, 1):
            try:
                self._enter(precision)
                if dense:
                    self._dense = self.x.to_dense()
                self._first = {
                    training: self._expected(0, training)
                    for training in (False, True)
                }
                return
            except Exception:
                if place == len(trials):
                    raise

    def _fits_in_double(self) -> bool:
        r"""Whether the device has double precision, and the memory."""
        x = self._given
        count = x.numel() if x.layout == torch.strided else x._nnz()
        count += sum(p.numel() for p in self.conv.parameters())
        count += self._sample.weight.numel()
        return wide(x.device) == torch.double and count <= LARGE

    def depends(self, route: Route) -> bool:
        r"""Whether the output depends on the edges at all: it changes without
        them, or has a gradient by their weights. If parameters or features
        are such that it doesn't, others decide. To be called after
        :meth:`works` or :meth:`differs`.
        """
        x, sample, out = self._tried
        if not sample.has_edges():
            return True  # nothing to tell it by
        none, still = sample.without_edges(), self._still
        if self._changed(out, self._try(route, still, x, none)):
            return True
        weight = sample.weight.clone().requires_grad_()
        with torch.enable_grad():
            some = replace(sample, weight=weight)
            soft = self._try(route, still, x, some)
            if soft is None or gradient(soft, weight) is not None:
                return True
        still, x = self._others(x)
        other = self._try(route, still, x, sample)
        return self._changed(other, self._try(route, still, x, none))

    def _try(
        self, route: Route, model: Module, x: Tensor, sample: TrialSample
    ) -> Tensor | None:
        r"""The output in evaluation mode, or :obj:`None` for an error."""
        grad = torch.is_grad_enabled()
        with _undisturbed(x.device), torch.set_grad_enabled(grad):
            try:
                trial = trial_of(model, training=False)
                return route(trial, x, sample, self.attributes)
            except Exception:  # whatever a model may raise
                return None

    def _changed(self, out: Tensor | None, other: Tensor | None) -> bool:
        r"""Whether two outputs aren't the same; an error is another one."""
        return out is None or other is None or not torch.equal(out, other)

    def _others(self, x: Tensor) -> tuple[Module, Tensor]:
        r"""A model with other parameters, and other features."""
        generator = torch.Generator(x.device).manual_seed(0)

        def other(tensor: Tensor) -> Tensor:
            if not tensor.is_floating_point():
                return tensor
            if tensor.layout != torch.strided:
                return tensor
            return tensor + torch.randn(
                tensor.shape,
                generator=generator,
                dtype=tensor.dtype,
                device=tensor.device,
            )

        def others(tensors: Tensors) -> Tensors:
            return {
                name: Parameter(other(tensor.detach()), False)
                if isinstance(tensor, Parameter) and not is_lazy(tensor)
                else tensor
                for name, tensor in tensors.items()
            }

        return Replica(self._still, tensors=others).module, other(x)

    def differs(self, route: Route) -> str | None:
        r"""Why a route isn't exact, or :obj:`None` if it is."""
        for training in (False, True):
            mode = 'training' if training else 'evaluation'
            reason = self._differs(route, training)
            if reason is not None:
                return f'{reason} (in {mode} mode)'
        return None

    def _differs(self, route: Route, training: bool) -> str | None:
        count = 2 if self._several(route) else 1
        sample, x = self._some(count)
        with _undisturbed(x.device):
            try:
                model = trial_of(self._still, training)
                outs = route(model, x, sample, self.attributes)
            except Exception as error:  # whatever a model may raise
                return f'{type(error).__name__}: {error}'
        if not training:
            self._tried = x, sample, outs
        for s in range(count):
            expected, narrow = (
                self._expected(s, training) if s else self._first[training]
            )
            got = outs[s] if count > 1 else outs
            if got.shape != expected.shape:
                return f'the shape is {list(got.shape)}'
            if expected.numel() == 0:
                continue
            most = TOLERANCE_OF_SINGLE if narrow else TOLERANCE
            scale = expected.abs().max().clamp(min=1e-6)
            share = float((got - expected).abs().max() / scale)
            if not share < most:
                return f'they differ by {share:.2g} of the largest output'
        return None

    def _some(self, count: int) -> tuple[TrialSample, Tensor]:
        r"""The first graphs, with their features."""
        x = self.x[:count] if self.x.dim() > 2 else self.x
        return self.sample.first(count), x

    def _several(self, route: Route) -> bool:
        batches = route.batches(self.conv) and len(self.sample) > 1
        return batches and (self.x.dim() == 2 or self.x.size(0) > 1)

    def _expected(self, s: int, training: bool) -> tuple[Tensor, bool]:
        r"""What the conv gives without the edges of weight zero, and whether
        it computes that in less than double precision.
        """
        edge_index, _ = self.sample.left(s)
        x = self.x if self._dense is None else self._dense
        x = x[s] if x.dim() > 2 else x
        with _undisturbed(x.device) as trial:
            model = trial_of(self._still, training)
            extra = self.attributes(edge_index)
            with self._explained(x), only_copies(self.conv):
                out = model(x, edge_index, **extra)
        out = check_output(self.conv, out)
        check_finite(self.conv, out)
        return out, trial.narrow or out.dtype != torch.double

    def _explained(self, x: Tensor) -> AbstractContextManager[None]:
        no_edges = self.sample.prior.pairs.index[:, :0]
        return explained(self.conv, x, given=self._attributes(no_edges))


def gradient(out: Tensor, weight: Tensor) -> Tensor | None:
    r"""The gradient by the weights, or :obj:`None` if the output doesn't
    depend on them.
    """
    if not out.requires_grad:
        return None
    (grad,) = torch.autograd.grad(
        out.sum(), weight, retain_graph=True, allow_unused=True
    )
    return grad


class Undrawn(TorchDispatchMode):
    r"""Replaces random numbers by constants, and dropout by nothing, so that a
    model does the same on fewer edges. Notes whether anything is computed in
    less than double precision.
    """

    narrow = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        self.narrow |= any(
            value.is_floating_point() and value.dtype != torch.double
            for value in tree_leaves((out, args))
            if isinstance(value, Tensor)
        )
        name = func.overloadpacket.__name__
        if torch.Tag.nondeterministic_seeded not in func.tags:
            return out
        if name == 'native_dropout':
            return args[0].clone(), torch.ones_like(out[1])
        if name.removesuffix('_like').rstrip('_') in CONSTANT:
            return out.fill_(CONSTANT[name.removesuffix('_like').rstrip('_')])
        return out


@contextmanager
def _undisturbed(device: torch.device) -> Iterator[Undrawn]:
    r"""Without gradients, reduced precision, random numbers or a trace in
    PyTorch's generators.
    """
    with (
        torch.inference_mode(False),
        torch.no_grad(),
        torch.autocast(device.type, enabled=False),
        Seeded(0),
        Undrawn() as trial,
    ):
        yield trial
