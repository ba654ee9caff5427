from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module, Parameter
from torch.nn.parameter import is_lazy

from torch_geometric_vgcn.message_passing.checks import check_finite, reaches
from torch_geometric_vgcn.message_passing.edge_attributes import Attributes
from torch_geometric_vgcn.message_passing.shallow_copy import (
    evaluated,
    only_copies,
    shallow_copy,
)
from torch_geometric_vgcn.sample import BackgroundEdges, GraphSample
from torch_geometric_vgcn.utils import (
    ConstantDraws,
    Seeded,
    explained,
    wide,
)

# How far outputs may differ, relative to the largest: by rounding, and by
# what normalisations make of it.
TOLERANCE, TOLERANCE_OF_SINGLE = 1e-9, 1e-4
# Numbers of features, parameters and weights, beyond which they aren't copied
# in double precision (1 GB), and sparse features not made dense:
LARGE = 2**27
# The share of edges that are there in a trial, and of how many pairs at most,
# enough to tell any difference:
SHARE, MOST = 0.7, 2**12


class Way(Enum):
    r"""How a graph gets into a conv."""

    DENSE = 'dense adjacency'
    KEPT = 'kept edges'
    MATRIX = 'matrix'
    WEIGHTS = 'edge weights'
    ARGUMENT = 'edge_weight argument'


def verify_deletion(
    call: Callable[..., Tensor],
    ways: list[Way],
    conv: Module,
    x: Tensor,
    sample: GraphSample,
    attributes: Attributes,
    count: int = 1,
) -> Way:
    r"""The first of some ways in which edge weights in :math:`\{0, 1\}` give
    what really deleting the edges of weight zero gives, and in which the
    output depends on the edges at all. Raises an error if there is none.

    They are compared on some edges in training and in evaluation mode, and on
    none, without dropout, and in double precision if the conv can be called in
    it. Neither the conv nor any random state is changed, except that lazy
    parameters get their shapes.

    Args:
        call (Callable): Calls a conv in a way:
            :obj:`call(way, conv, x, sample, attributes)`.
        ways (List[Way]): The ways, the best first.
        conv (torch.nn.Module): The conv or model.
        x (Tensor): The node features.
        sample (GraphSample): The sampled graphs, whose pairs are used.
        attributes (Attributes): What goes along with edges.
        count (int, optional): How many graphs at a time, at most.
            (default: :obj:`1`)
    """
    # Some ways delete edges by themselves: there is nothing to compare.
    deletes = ways[0] in (Way.DENSE, Way.KEPT)
    some = some_edges(sample, count, hard=deletes)
    x = x.detach() if x.requires_grad else x  # the same tensor, if it can be
    x = x[: len(some)] if x.dim() > 2 else x
    if any(map(is_lazy, conv.parameters())):
        with torch.inference_mode(False), torch.no_grad(), explained(conv, x):
            call(ways[-1], evaluated(conv), x, some, attributes)
    trial = partial(Trial, call, conv, x, some, attributes)
    if deletes:
        tried = trial(torch.float)
        tried.expect(ways[0], conv)
    else:
        tried = _in_best_precision(trial, conv, x, some)
    for way in ways:
        reason = None if deletes else tried.difference(way)
        if reason is not None:
            continue
        if not tried.depends(way):
            raise TypeError(
                f"'conv' ({type(conv).__name__}) ignores the edges that it is "
                'given: pass them on to its convs'
            )
        return way
    if x.layout != torch.strided:
        raise TypeError(
            f"'conv' ({type(conv).__name__}) can't take sparse features 'x' "
            f'({x.layout}) with relaxed edges: pass x.to_dense()'
        )
    raise TypeError(
        f"'conv' ({type(conv).__name__}) with edge weights of zero is not "
        f'what it is without those edges: {reason}: only hard samples fit it '
        '(sampler=Bernoulli())'
    )


def _in_best_precision(
    trial: 'Callable[..., Trial]', conv: Module, x: Tensor, some: GraphSample
) -> 'Trial':
    r"""A trial in double precision if the conv can be called in it, and with
    sparse features if it can take them.
    """
    count = x.numel() if x.layout == torch.strided else x._nnz()
    count += sum(p.numel() for p in conv.parameters()) + some.weight.numel()
    options = [(torch.float, False)]
    if wide(x.device) == torch.double and count <= LARGE:
        options.insert(0, (torch.double, False))
    if x.layout != torch.strided and x.numel() <= LARGE:
        options += [(dtype, True) for dtype, _ in options]
    for place, option in enumerate(options, 1):
        try:
            tried = trial(*option)
            tried.expect(Way.KEPT, conv)
            break
        except Exception:  # whatever a model may raise
            if place == len(options):
                raise
    return tried


def some_edges(sample: GraphSample, count: int, hard: bool) -> GraphSample:
    r"""Graphs to try a conv on, with weights in :math:`\{0, 1\}`. However many
    pairs there are, only some have edges, so that a trial costs little.
    """
    generator = torch.Generator().manual_seed(0)
    count, size = min(count, len(sample)), sample.weight.size(1)
    some = torch.arange(size)
    if size > MOST:
        some = torch.randint(size, (MOST,), generator=generator).unique()
    there = torch.rand((count, len(some)), generator=generator) < SHARE
    if len(some) > 1:  # always one edge of each kind
        there[:, 0], there[:, 1] = True, False
    some = some.to(sample.weight.device)
    weight = torch.zeros_like(sample.weight[:count]).detach()
    weight[:, some] = there.to(weight)
    edges = sample.background
    if edges is not None:
        old = edges.weight[:count, :MOST]
        there = torch.rand(old.shape, generator=generator) < SHARE
        there = (old > 0) & there.to(old.device)
        index = edges.index[:, :count, :MOST]
        edges = BackgroundEdges(index, there.to(weight.dtype))
    log_prob = weight.new_zeros(count) if hard else None
    prior = sample.prior
    return GraphSample(
        prior, prior.logits, weight, edges, log_prob=log_prob, some=some
    )


def with_weights(
    sample: GraphSample, change: Callable[[Tensor], Tensor]
) -> GraphSample:
    r"""The same graphs with other numbers."""
    edges = sample.background
    if edges is not None:
        edges = BackgroundEdges(edges.index, change(edges.weight))
    return replace(sample, weight=change(sample.weight), background=edges)


class Trial:
    r"""A conv, as it is now, with some graphs to try it on. No trace of that
    stays in the conv, or in PyTorch's random generators.

    Args:
        call, conv, x, some, attributes: As in :func:`verify_deletion`.
        dtype (torch.dtype): The precision of all numbers, at least.
        dense (bool, optional): Whether the conv itself wants dense features.
            (default: :obj:`False`)
    """

    def __init__(
        self,
        call: Callable[..., Tensor],
        conv: Module,
        x: Tensor,
        some: GraphSample,
        attributes: Attributes,
        dtype: torch.dtype,
        dense: bool = False,
    ) -> None:
        precision = partial(at_least, dtype=dtype)
        self.call = call
        # Another thread may train the conv meanwhile:
        self.conv = shallow_copy(
            conv, tensor=lambda value: precision(value.detach().clone())
        )
        self.x = precision(x)
        self.bare_x = self.x.to_dense() if dense else self.x
        self.some = with_weights(some, precision)
        self.none = with_weights(self.some, torch.zeros_like)
        self.cases = {
            'in evaluation mode': (self.some, False),
            'without edges': (self.none, False),
        }
        if some.pathwise:
            self.cases['in training mode'] = self.some, True
        self.attributes = lambda edge_index: {
            name: precision(value)
            for name, value in attributes(edge_index).items()
        }

    def run(
        self,
        way: Way,
        sample: GraphSample,
        training: bool = False,
        conv: Module | None = None,
        x: Tensor | None = None,
        grad: bool = False,
    ) -> Tensor:
        r"""The output, without reduced precision or random numbers."""
        conv = self.conv if conv is None else conv
        x = self.x if x is None else x
        with (
            torch.inference_mode(False),
            torch.set_grad_enabled(grad),
            torch.autocast(x.device.type, enabled=False),
            Seeded(0),
            ConstantDraws() as constant,
        ):
            model = shallow_copy(conv, training=training, tensor=torch.clone)
            out = self.call(way, model, x, sample, self.attributes)
        self.narrow = constant.narrow or out.dtype != torch.double
        return out

    def expect(self, way: Way, conv: Module) -> None:
        r"""Takes note of what the conv gives if edges of weight zero are
        really deleted, or raises the error by which it can't be called.
        """
        self.way = way
        given = self.attributes(self.some.prior.pairs.index[:, :0])
        self.expected: dict[str, tuple[Tensor, bool]] = {}
        for case, (sample, training) in self.cases.items():
            try:
                with (
                    explained(conv, self.bare_x, given=given),
                    only_copies(conv),
                ):
                    out = self._deleted(sample, training)
                check_finite(conv, out)
            except Exception:  # whatever a model may raise
                if sample is not self.none:
                    raise
            else:
                self.expected[case] = out, self.narrow

    def _deleted(
        self, sample: GraphSample, *args: Any, **kwargs: Any
    ) -> Tensor:
        r"""The output with edges of weight zero really deleted."""
        kwargs = {'x': self.bare_x, **kwargs}
        log_prob = sample.weight.new_zeros(len(sample))
        deleted = replace(sample, log_prob=log_prob)
        return self.run(self.way, deleted, *args, **kwargs)

    def difference(self, way: Way) -> str | None:
        r"""Why a way isn't exact, or :obj:`None` if it is."""
        for case, (expected, narrow) in self.expected.items():
            if case == 'without edges' and self.some.weight.size(1) < 2:
                continue  # so few are for another time
            try:
                out = self.run(way, *self.cases[case])
            except Exception as error:  # whatever a model may raise
                return f'{type(error).__name__}: {error} ({case})'
            if out.shape != expected.shape:
                return f'the shape is {list(out.shape)} ({case})'
            if out.numel() == 0:
                continue
            scale = expected.abs().max().clamp(min=1e-6)
            share = float((out - expected).abs().max() / scale)
            if not share < (TOLERANCE_OF_SINGLE if narrow else TOLERANCE):
                part = f'{share:.2g} of the largest output'
                return f'they differ by {part} ({case})'
        return None

    def depends(self, way: Way) -> bool:
        r"""Whether the output depends on the edges at all: it changes without
        them, or has a gradient by their weights. If parameters or features
        are such that it doesn't, others decide.
        """
        if not bool(self.some.edges(0)[1].any()):
            return True  # nothing to tell it by
        out, _ = self.expected['in evaluation mode']
        bare = self.expected.get('without edges')
        if bare is None or not torch.equal(out, bare[0]):
            return True
        try:
            soft = with_weights(
                self.some, lambda value: value.clone().requires_grad_()
            )
            if reaches(self.run(way, soft, grad=True), soft.weight):
                return True
            generator = torch.Generator(self.x.device).manual_seed(0)
            other = partial(_noisy, generator=generator)
            conv = shallow_copy(
                self.conv,
                tensor=lambda v: other(v) if isinstance(v, Parameter) else v,
            )
            changed = {'conv': conv, 'x': other(self.bare_x)}
            out = self._deleted(self.some, **changed)
            none = self._deleted(self.none, **changed)
            return not torch.equal(out, none)
        except Exception:  # whatever a model may raise
            return True


def _noisy(value: Tensor, generator: torch.Generator) -> Tensor:
    if not value.is_floating_point() or value.layout != torch.strided:
        return value
    return value + torch.empty_like(value).normal_(generator=generator)


def at_least(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    r"""The same numbers in a precision, if they are in a lower one."""
    if not tensor.is_floating_point():
        return tensor
    return tensor.to(torch.promote_types(tensor.dtype, dtype))
