from collections.abc import Hashable
from typing import Any

import torch
from torch import Tensor
from torch.nn import Identity, Module
from torch_geometric.nn import GCN
from torch_geometric.utils import sort_edge_index

from torch_geometric_vgcn.message_passing.checks import (
    check_call,
    check_conv,
    check_finite,
    check_gradient,
    check_layers,
    check_output,
    check_unordered,
    is_dense,
    message_passing_modules,
)
from torch_geometric_vgcn.message_passing.edge_attributes import (
    Attributes,
    no_attributes,
)
from torch_geometric_vgcn.message_passing.edge_weights import EdgeWeights
from torch_geometric_vgcn.message_passing.matrix import SymmetricMatrix
from torch_geometric_vgcn.message_passing.matrix_convs import (
    FORWARDS,
    has_hooks,
    has_matrix_form,
    on_matrices,
)
from torch_geometric_vgcn.message_passing.shallow_copy import replaced
from torch_geometric_vgcn.message_passing.verify import Way, verify_deletion
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.sample import GraphSample, Sampler
from torch_geometric_vgcn.utils import (
    SparseFeatures,
    explained,
    further_arguments,
    kernels_work,
)
from torch_geometric_vgcn.utils.constraints import Instance, checked


class ConvCall:
    r"""Calls a PyG conv or model on sampled graphs, such that edge weights in
    :math:`\{0, 1\}` give exactly what deleting the edges of weight zero gives.
    There are five ways:

    * *dense adjacency*: PyG's dense convs are called with the matrix;
    * *kept edges*: for hard samples, any conv is called with only the edges
      that are there;
    * *matrix*: GCN-like convs (:class:`~torch_geometric.nn.GCNConv`,
      :class:`~torch_geometric.nn.GraphConv`,
      :class:`~torch_geometric.nn.SGConv`,
      :class:`~torch_geometric.nn.APPNP`) compute from symmetric matrices,
      sparse or dense as the pairs are, and PyG's
      :class:`~torch_geometric.nn.GCN` on all graphs at once;
    * *edge weights*: any other conv is called inside :class:`EdgeWeights`;
    * *edge_weight argument*: a model that makes a matrix of its own from
      :obj:`edge_weight` is called with that argument.

    Of the last three, the first that is exact is taken. This is verified on
    the first graph, again for another kind of features (sparse, of another
    type, on another device), with edge attributes instead of without, and
    after a change of the conv's modules or hooks. ``print`` shows which was
    taken.

    Args:
        conv (torch.nn.Module): The conv or model.
        sampler (Sampler, optional): What draws the graphs, so that a conv that
            doesn't fit it is refused at once. (default: :obj:`None`)
    """

    @checked(conv=Instance(Module), sampler=Instance(Sampler))
    def __init__(self, conv: Module, sampler: Sampler | None = None) -> None:
        check_layers(conv)
        check_conv(conv)
        self.features = SparseFeatures()
        self._taken: dict[Hashable, Way] = {}
        self._used: set[Hashable] = set()  # kinds of calls that went well
        self._expected = ways_of(conv, sampler is None or sampler.pathwise)
        if sampler is not None and Way.WEIGHTS in self._expected:
            check_unordered(conv)

    @torch.compiler.disable
    def __call__(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes = no_attributes,
    ) -> Tensor:
        r"""Calls the conv on each sampled graph. Stacks the outputs if there
        are several.

        Args:
            conv (torch.nn.Module): The conv, or a copy of it.
            x (Tensor): The features, of shape :obj:`[N, F]`, or
                :obj:`[S, N, F]` for each graph its own.
            sample (GraphSample): The sampled graphs.
            attributes (Callable, optional): Further arguments of the conv,
                given :obj:`edge_index`. (default: :obj:`no_attributes`)
        """
        check_call(conv, x, sample)
        kind = _kind(conv, x, sample, attributes)
        way = self._taken.get(kind)
        if way is None:
            ways = ways_of(conv, sample.pathwise)
            if Way.MATRIX in ways and not _fits(conv, sample, attributes):
                ways.remove(Way.MATRIX)
            count = 2 if Way.MATRIX in ways and takes_several(conv) else 1
            way = verify_deletion(
                self.through, ways, conv, x, sample, attributes, count
            )
            self._taken[kind] = way
        with explained(conv, x):
            out = self.through(way, conv, x, sample, attributes)
        use = kind, sample.weight.requires_grad
        if use not in self._used:
            check_finite(conv, out)
            if sample.weight.requires_grad:
                check_gradient(conv, out, sample.weight)
            self._used.add(use)
        return out

    def through(
        self,
        way: Way,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes,
    ) -> Tensor:
        r"""Calls the conv in one of the ways, whether it is exact or not."""
        if way is Way.MATRIX and len(sample) > 1 and takes_several(conv):
            return self._on_matrix(conv, x, sample, slice(None))
        outs = []
        for s in range(len(sample)):
            own = x[s] if x.dim() > 2 else x
            out = self._once(way, conv, own, sample, s, attributes)
            outs.append(check_output(conv, out))
        return outs[0] if len(outs) == 1 else torch.stack(outs)

    def _once(
        self,
        way: Way,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> Any:
        r"""Calls the conv on the :obj:`s`-th graph."""
        if way is Way.MATRIX:
            return self._on_matrix(conv, x, sample, s)
        if way is Way.DENSE:
            out = check_output(conv, conv(x, sample.dense(s)))
            # PyG's dense convs add a batch dimension to whatever has none:
            return out.squeeze(0) if out.dim() > x.dim() else out
        edge_index, weight = sample.edges(s)
        if way is Way.KEPT:
            # Some aggregations want the edges of a node together:
            edge_index = sort_edge_index(
                edge_index, num_nodes=x.size(-2), sort_by_row=False
            )
            return conv(x, edge_index, **attributes(edge_index))
        if way is Way.ARGUMENT:
            extra = attributes(edge_index)
            return conv(x, edge_index, edge_weight=weight, **extra)
        with EdgeWeights(edge_index, weight, x.size(-2)):
            return conv(x, edge_index, **attributes(edge_index))

    def _on_matrix(
        self, conv: Module, x: Tensor, sample: GraphSample, which: int | slice
    ) -> Tensor:
        r"""Calls the conv with symmetric matrices in the place of
        :obj:`edge_index`.
        """
        adj = SymmetricMatrix(sample, which, self.features)
        with replaced(conv, on_matrices) as copy:
            return check_output(conv, copy(x, adj))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, '_taken': {}, '_used': set()}

    def __repr__(self) -> str:
        taken = sorted({way.value for way in self._taken.values()})
        if taken or len(self._expected) == 1:
            return ', '.join(taken) or self._expected[0].value
        names = ' or '.join(way.value for way in self._expected)
        return f'{names}, decided on the first graph'


def ways_of(conv: Module, pathwise: bool) -> list[Way]:
    r"""The ways to call a conv, the best first."""
    if is_dense(conv):
        return [Way.DENSE]
    if not pathwise:
        return [Way.KEPT]
    ways = [Way.WEIGHTS]
    if all(map(has_matrix_form, message_passing_modules(conv))):
        ways.insert(0, Way.MATRIX)
    if 'edge_weight' in further_arguments(conv):
        ways.append(Way.ARGUMENT)
    return ways


def takes_several(conv: Module) -> bool:
    r"""Whether a conv takes the matrices of several graphs at once."""
    if isinstance(conv, GCN) and type(conv) is GCN:
        plain = all(isinstance(norm, Identity) for norm in conv.norms)
        return plain and conv.jk_mode != 'lstm'
    return type(conv) in FORWARDS or getattr(
        conv, 'takes_several_graphs', False
    )


def _fits(conv: Module, sample: GraphSample, attributes: Attributes) -> bool:
    r"""Whether such graphs can go as matrices at all."""
    if attributes is not no_attributes:
        return False
    # What watches messages would see none:
    if any(map(has_hooks, message_passing_modules(conv))):
        return False
    dense = not isinstance(sample.prior.pairs, Candidates)
    return dense or kernels_work(sample.weight.device, sample.weight.dtype)


def _kind(
    conv: Module, x: Tensor, sample: GraphSample, attributes: Attributes
) -> Hashable:
    r"""What kind of call it is: one verification holds for all of a kind."""
    pairs = sample.prior.pairs
    return (
        tuple((type(module), has_hooks(module)) for module in conv.modules()),
        (x.layout, x.dtype, x.device, x.dim()),
        (type(pairs), sample.weight.dtype, len(sample) > 1),
        sample.pathwise,
        min(len(pairs), 2),  # few pairs prove nothing for more
        attributes is no_attributes,
    )
