from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.parameter import is_lazy

from torch_geometric_vgcn.checks import explained
from torch_geometric_vgcn.kernels.seeded import Seeded
from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    check_output,
)
from torch_geometric_vgcn.message_passing.coupled_draws import CoupledDraws
from torch_geometric_vgcn.message_passing.replica import (
    evaluated,
    only_copies,
    single,
    snapshot,
    trial_of,
)
from torch_geometric_vgcn.sample import Edges, GraphSample

SHARE = 0.7  # of the edges are kept ...
MOST = 2**14  # ... but at most so many
TOLERANCE = 1e-3  # of the largest output
LARGE = 2**28  # entries of sparse features, beyond which they stay sparse


class Proof:
    r"""Compares routes with really deleting edges: on the first graph, with
    weights in :math:`\{0, 1\}`, in training and evaluation mode. Both draw the
    same random numbers, and neither the model nor any random state is changed
    permanently.

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
        self.x = single(x.detach() if x.requires_grad else x)
        # For convs that want no sparse x, and where its non-zeros stand:
        self._dense: Tensor | None = None
        self._entries: Tensor | None = None
        self.sample = _some_edges(sample)
        self.attributes = lambda edge_index: {
            name: single(value)
            for name, value in attributes(edge_index).items()
        }

    def initialize(self, route: Route) -> None:
        r"""Gives lazy parameters their shapes, by a call without gradients."""
        if not any(map(is_lazy, self.conv.parameters())):
            return
        x = self.x[:1] if self.x.dim() > 2 else self.x
        with torch.inference_mode(False), torch.no_grad():
            with explained(self.conv, x):
                model = evaluated(self.conv)
                route(model, x, _first(self.sample, 1), self.attributes)

    def works(self, route: Route) -> None:
        r"""Raises an error that explains why a conv can't be called."""
        sample = _first(self.sample, 1)
        x = self.x[:1] if self.x.dim() > 2 else self.x
        with _undisturbed(x.device):
            model = trial_of(self._still, training=False)
            with explained(self.conv, x), only_copies(self.conv):
                route(model, x, sample, self.attributes)

    def check(self) -> None:
        r"""Raises an error if the conv can't be called on edges alone: then no
        route can help. To be called before :meth:`differs`.
        """
        try:
            self._expected(0, training=False, record=CoupledDraws())
        except TypeError:
            if self.x.layout == torch.strided or self.x.numel() > LARGE:
                raise
            self._dense = self.x.to_dense()
            self._entries = self.x.to_sparse_coo().coalesce().indices()
            self._expected(0, training=False, record=CoupledDraws())

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
        sample = _first(self.sample, count)
        x = self.x[:count] if self.x.dim() > 2 else self.x
        record = CoupledDraws()
        with _undisturbed(x.device), record:
            try:
                model = trial_of(self._still, training)
                outs = route(model, x, sample, self.attributes)
            except Exception as error:  # whatever a model may raise
                return f'{type(error).__name__}: {error}'
        for s in range(count):
            expected, matched = self._expected(s, training, record)
            got = outs[s] if count > 1 else outs
            if got.shape != expected.shape:
                return f'the shape is {list(got.shape)}'
            if expected.numel() == 0:
                continue
            scale = expected.abs().max().clamp(min=1e-6)
            share = float((got - expected).abs().max() / scale)
            if not share < TOLERANCE:
                reason = f'they differ by {share:.2g} of the largest output'
                if not matched:
                    reason += ', with random numbers for each edge'
                return reason
        return None

    @cached_property
    def _still(self) -> Module:
        r"""The conv as it was first: another thread may train it between two
        calls that are to be compared.
        """
        return snapshot(self.conv)

    def _several(self, route: Route) -> bool:
        batches = route.batches(self.conv) and len(self.sample) > 1
        return batches and (self.x.dim() == 2 or self.x.size(0) > 1)

    def _expected(
        self, s: int, training: bool, record: CoupledDraws
    ) -> tuple[Tensor, bool]:
        r"""What the conv gives without the edges of weight zero."""
        edge_index, kept = _left(self.sample, s)
        x = self.x if self._dense is None else self._dense
        x = x[s] if x.dim() > 2 else x
        num_nodes = self.sample.prior.num_nodes
        replay = CoupledDraws(kept, record, s, num_nodes, self._entries)
        with _undisturbed(x.device), replay:
            model = trial_of(self._still, training)
            with explained(self.conv, x), only_copies(self.conv):
                out = model(x, edge_index, **self.attributes(edge_index))
                out = check_output(self.conv, out)
        if not bool(out.isfinite().all()):
            raise ValueError(
                f"'conv' ({type(self.conv).__name__}) must give finite "
                'outputs, got NaN or infinite values on the sampled graph'
            )
        return out, replay.matched


def _some_edges(sample: GraphSample) -> GraphSample:
    r"""Up to two of the graphs, each with some of the edges only."""
    generator = torch.Generator().manual_seed(0)
    shape = (min(2, len(sample)), sample.weight.size(1))
    share = min(SHARE, MOST / max(1, shape[1]))
    kept = torch.rand(shape, generator=generator) < share
    if shape[1] > 1:  # always one edge of each kind
        kept[:, 0], kept[:, 1] = True, False
    weight = kept.to(sample.weight.device, single(sample.weight).dtype)
    edges = sample.background
    if edges is not None:
        index, there = edges.index[:, : shape[0]], edges.weight[: shape[0]]
        kept = torch.rand(there.shape, generator=generator) < SHARE
        there = (there > 0) & kept.to(there.device)
        edges = Edges(index, there.to(weight.dtype))
    return GraphSample(sample.prior, sample.prior.logits, weight, edges)


def _first(sample: GraphSample, count: int) -> GraphSample:
    edges = sample.background
    return GraphSample(
        sample.prior,
        sample.logits,
        sample.weight[:count],
        None if edges is None else edges[:count],
    )


def _left(sample: GraphSample, s: int) -> tuple[Tensor, Tensor]:
    r"""The edges of the :obj:`s`-th graph that aren't of weight zero, and for
    each edge of :meth:`GraphSample.edges` whether it is one of them.
    """
    kept = sample.weight[s] > 0
    index = sample.prior.pairs.index[:, kept]
    if sample.background is not None:
        others, _ = sample.background.of(s)
        index = torch.cat([index, others], dim=1)
        kept = torch.cat([kept, kept.new_ones(others.size(1))])
    edge_index = torch.cat([index, index.flip(0)], dim=1)
    return edge_index, torch.cat([kept, kept])


@contextmanager
def _undisturbed(device: torch.device) -> Iterator[None]:
    r"""Without gradients, reduced precision or a trace in PyTorch's random
    numbers; each time from the same seed.
    """
    with (
        torch.inference_mode(False),
        torch.no_grad(),
        torch.autocast(device.type, enabled=False),
        Seeded(0),
    ):
        yield
