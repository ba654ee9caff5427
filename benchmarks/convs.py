r"""In which way each PyG conv is called, whether it is exact, and its cost.

    python benchmarks/convs.py > docs/convs.md   # about two minutes

For each conv, weights in {0, 1} are compared with really deleting the edges
(the largest difference, relative to the largest output), and a forward and
backward pass through the learner is timed, and compared with one
through the bare conv on the same graph (10,000 nodes, 100,000 edges, 32
features; best of 5).
"""

import time
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import Linear, Module
from torch_geometric import nn
from torch_geometric.nn import conv as convs
from torch_geometric.utils import erdos_renyi_graph

from torch_geometric_vgcn import BinaryConcrete, SmoothedPrior
from torch_geometric_vgcn.message_passing import (
    ConvCall,
    EdgeAttributes,
    no_attributes,
)
from torch_geometric_vgcn.sample import GraphSample

F, C, D = 32, 32, 4  # features in and out, edge attributes


class Skip(Module):
    r"""For convs that also take the first layer's input."""

    def __init__(self, conv: Module) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.conv(x, x, edge_index)


class Layers(Module):
    r"""For convs that take the outputs of all previous layers."""

    def __init__(self, conv: Module) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.conv(torch.stack([x, x.relu()], dim=1), edge_index)


SCALERS = ['identity', 'amplification', 'attenuation', 'linear']
DEGREES = torch.tensor([0, 2, 8, 4, 2])

# The convs in scope, by name.
IN_SCOPE: dict[str, Callable[[], Module]] = {
    'SimpleConv': lambda: convs.SimpleConv('sum'),
    "SimpleConv('mean')": lambda: convs.SimpleConv('mean'),
    "SimpleConv('max')": lambda: convs.SimpleConv('max'),
    'GCNConv': lambda: convs.GCNConv(F, C),
    'GCNConv(add_self_loops=False)': lambda: convs.GCNConv(
        F, C, add_self_loops=False
    ),
    'ChebConv': lambda: convs.ChebConv(F, C, K=3),
    'SAGEConv': lambda: convs.SAGEConv(F, C),
    "SAGEConv('sum')": lambda: convs.SAGEConv(F, C, aggr='sum'),
    "SAGEConv('max')": lambda: convs.SAGEConv(F, C, aggr='max'),
    "SAGEConv('softmax')": lambda: convs.SAGEConv(F, C, aggr='softmax'),
    "SAGEConv('powermean')": lambda: convs.SAGEConv(F, C, aggr='powermean'),
    "SAGEConv(['mean', 'max', 'std'])": lambda: convs.SAGEConv(
        F, C, aggr=['mean', 'max', 'std']
    ),
    'GraphConv': lambda: convs.GraphConv(F, C),
    "GraphConv('mean')": lambda: convs.GraphConv(F, C, aggr='mean'),
    'GatedGraphConv': lambda: convs.GatedGraphConv(F, num_layers=2),
    'ResGatedGraphConv': lambda: convs.ResGatedGraphConv(F, C),
    'GATConv': lambda: convs.GATConv(F, C // 2, heads=2),
    'GATv2Conv': lambda: convs.GATv2Conv(F, C // 2, heads=2),
    'TransformerConv': lambda: convs.TransformerConv(F, C // 2, heads=2),
    'AGNNConv': lambda: convs.AGNNConv(),
    'TAGConv': lambda: convs.TAGConv(F, C),
    'GINConv': lambda: convs.GINConv(Linear(F, C)),
    'GINEConv': lambda: convs.GINEConv(Linear(F, C), edge_dim=D),
    'ARMAConv': lambda: convs.ARMAConv(F, C, num_stacks=2),
    'SGConv': lambda: convs.SGConv(F, C, K=2),
    'SSGConv': lambda: convs.SSGConv(F, C, alpha=0.1, K=2),
    'APPNP': lambda: convs.APPNP(K=3, alpha=0.1),
    'MFConv': lambda: convs.MFConv(F, C),
    'CGConv': lambda: convs.CGConv(F),
    'DNAConv': lambda: Layers(convs.DNAConv(F)),
    'EdgeConv': lambda: convs.EdgeConv(Linear(2 * F, C)),
    'FeaStConv': lambda: convs.FeaStConv(F, C, heads=2),
    'PNAConv': lambda: convs.PNAConv(
        F, C, ['mean', 'min', 'max', 'std'], SCALERS, DEGREES
    ),
    'ClusterGCNConv': lambda: convs.ClusterGCNConv(F, C, diag_lambda=0.2),
    'GENConv': lambda: convs.GENConv(F, C),
    "GENConv('powermean')": lambda: convs.GENConv(F, C, aggr='powermean'),
    'GCN2Conv': lambda: Skip(convs.GCN2Conv(F, alpha=0.1)),
    'WLConvContinuous': lambda: convs.WLConvContinuous(),
    'FiLMConv': lambda: convs.FiLMConv(F, C),
    'SuperGATConv': lambda: convs.SuperGATConv(F, C // 2, heads=2),
    'FAConv': lambda: Skip(convs.FAConv(F)),
    'EGConv': lambda: convs.EGConv(F, C),
    "EGConv(['symnorm', 'mean', 'max', 'var'])": lambda: convs.EGConv(
        F, C, aggregators=['symnorm', 'mean', 'max', 'var']
    ),
    'PDNConv': lambda: convs.PDNConv(F, C, edge_dim=D, hidden_channels=8),
    'NNConv': lambda: convs.NNConv(F, 4, Linear(D, F * 4)),
    'GMMConv': lambda: convs.GMMConv(F, C, dim=D, kernel_size=2),
    'GeneralConv': lambda: convs.GeneralConv(F, C),
    'GeneralConv(attention=True)': lambda: convs.GeneralConv(
        F, C, attention=True, heads=2
    ),
    'LEConv': lambda: convs.LEConv(F, C),
    'LGConv': lambda: convs.LGConv(),
    'MixHopConv': lambda: convs.MixHopConv(F, C),
    'GCN (model)': lambda: nn.GCN(F, 16, 2, C),
    'GraphSAGE (model)': lambda: nn.GraphSAGE(F, 16, 2, C),
    'GIN (model)': lambda: nn.GIN(F, 16, 2, C),
    'GAT (model)': lambda: nn.GAT(F, 16, 2, C),
    'PNA (model)': lambda: nn.PNA(
        F, 16, 2, C, aggregators=['mean', 'max'], scalers=['identity'],
        deg=DEGREES,
    ),
    'EdgeCNN (model)': lambda: nn.EdgeCNN(F, 16, 2, C),
    'Sequential (model)': lambda: nn.Sequential(
        'x, edge_index',
        [
            (convs.GATConv(F, 16), 'x, edge_index -> x'),
            torch.nn.ReLU(),
            (convs.GINConv(Linear(16, C)), 'x, edge_index -> x'),
        ],
    ),
    'GPSConv (not message passing itself)': lambda: convs.GPSConv(
        F, convs.GINConv(Linear(F, F)), heads=2, attn_type='performer'
    ),
}  # fmt: skip

WITH_ATTRIBUTES = ('GINEConv', 'PDNConv', 'NNConv', 'GMMConv')

TYPES = 'needs types of nodes or edges'
POSITIONS = 'needs positions of the nodes'
OUT_OF_SCOPE = {
    'RGCNConv': TYPES,
    'FastRGCNConv': TYPES,
    'RGATConv': TYPES,
    'HGTConv': TYPES,
    'HANConv': TYPES,
    'HEATConv': TYPES,
    'SignedConv': 'needs two graphs, of positive and of negative edges',
    'PointNetConv': POSITIONS,
    'PPFConv': POSITIONS,
    'PointTransformerConv': POSITIONS,
    'PointGNNConv': POSITIONS,
    'SplineConv': 'needs coordinates of the edges, and compiled kernels',
    'DynamicEdgeConv': 'builds its own graph',
    'GravNetConv': 'builds its own graph',
    'MeshCNNConv': 'needs a mesh with four neighbours per edge',
    'HypergraphConv': 'needs hyperedges',
    'FusedGATConv': 'needs a graph in a compiled library\'s own format (GPU)',
    'PANConv': 'multiplies adjacency matrices inside torch-sparse: hard '
    'samples only (`sampler=Bernoulli()`)',
}  # fmt: skip

NOTES = {
    'max': 'expected maximum if each edge is present with a probability '
    'equal to its weight; the maximum itself at 0 and 1',
    'MFConv': 'weights are selected by the rounded degree',
}


INTRODUCTION = """\
A sampled graph gets into a conv as a *matrix* (symmetric matrices instead of
`edge_index`) where the conv has a form for it, otherwise by *edge weights*
(each edge weighted inside the conv). This is verified on the first graph: edge
weights of 0 and 1 are compared with really deleting the edges of weight 0, in
training and in evaluation mode, in double precision. If neither is exact, a
`TypeError` names the reason; `sampler=Bernoulli()` fits any conv, as it really
deletes edges. [model.md](model.md#message-passing) has the details.

PyG ignores the option `improved` of `GCNConv` when the conv is called without
edge weights, and so does the learner: it gives what `conv(x, edge_index)`
gives.

*Difference*: between edge weights of zero and really deleting the edges,
relative to the largest output. *Cost*: forward and backward pass
with all its weights, relative to the bare conv on the same 100,000
edges. Each conv gives a gradient to the weight of every edge.
"""


def graph_of(num_nodes: int, edges_per_node: int) -> SmoothedPrior:
    prob = 2 * edges_per_node / num_nodes
    edge_index = erdos_renyi_graph(num_nodes, prob)
    return SmoothedPrior(edge_index, num_nodes)


def attributes_of(name: str, prior: SmoothedPrior):
    if name not in WITH_ATTRIBUTES:
        return no_attributes
    edge_attr = torch.rand(prior.edge_index.size(1), D)
    return EdgeAttributes(prior.edge_index, edge_attr, prior.num_nodes)


def contract_error(name: str, prior: SmoothedPrior) -> tuple[float, int, str]:
    r"""The difference between weights of zero and deleting the edges, the
    number of weights without a gradient, and the way.
    """
    conv = IN_SCOPE[name]().eval()
    call = ConvCall(conv, BinaryConcrete())
    x = torch.randn(prior.num_nodes, F)
    attributes = attributes_of(name, prior)
    hard = (torch.rand(1, len(prior.pairs)) < 0.6).float().requires_grad_()
    got = call(conv, x, GraphSample(prior, prior.logits, hard), attributes)
    index = prior.pairs.index[:, hard[0] == 1]
    kept = torch.cat([index, index.flip(0)], dim=1)
    expected = conv(x, kept, **attributes(kept))
    error = float((got - expected).abs().max() / expected.abs().max())

    soft = torch.rand(1, len(prior.pairs)).requires_grad_()
    out = call(conv, x, GraphSample(prior, prior.logits, soft), attributes)
    (grad,) = torch.autograd.grad(out.square().sum(), soft)
    missing = int((~((grad != 0) & grad.isfinite())).sum())
    return error, missing, str(call)


def cost(name: str, prior: SmoothedPrior) -> float:
    r"""The time with weights, relative to that of the bare conv."""
    conv = IN_SCOPE[name]()
    call = ConvCall(conv, BinaryConcrete())
    x = torch.randn(prior.num_nodes, F, requires_grad=True)
    attributes = attributes_of(name, prior)
    weight = torch.rand(1, len(prior.pairs)).requires_grad_()
    sample = GraphSample(prior, prior.logits, weight)
    edge_index, _ = sample.edges(0)
    extra = attributes(edge_index)

    def bare() -> Tensor:
        return conv(x, edge_index, **extra)

    def weighted() -> Tensor:
        return call(conv, x, sample, attributes)

    best = {}
    for one in (bare, weighted):
        one().sum().backward()
        times = []
        for _ in range(5):
            start = time.perf_counter()
            one().sum().backward()
            times.append(time.perf_counter() - start)
        best[one] = min(times)
    return best[weighted] / best[bare]


def main() -> None:
    torch.manual_seed(0)
    small, large = graph_of(60, 4), graph_of(10_000, 10)
    print('# Any conv\n')
    print('Made by `python benchmarks/convs.py > docs/convs.md`.\n')
    print(INTRODUCTION)
    print('| conv | way | difference | cost | between 0 and 1 |')
    print('| --- | --- | --- | --- | --- |')
    for name in IN_SCOPE:
        error, missing, way = contract_error(name, small)
        note = NOTES.get(name, 'weighted sums')
        if 'max' in name and 'softmax' not in name or name in (
            'EdgeConv', 'PNAConv', 'PNA (model)', 'EdgeCNN (model)',
        ):  # fmt: skip
            note = NOTES['max']
        if missing:
            note += f'; {missing} weights without gradient'
        print(
            f'| {name} | {way} | {error:.0e} '
            f'| {cost(name, large):.1f} × | {note} |',
            flush=True,
        )
    print('\nOut of scope, of the 57 message passing classes:\n')
    print('| conv | reason |')
    print('| --- | --- |')
    for name, reason in OUT_OF_SCOPE.items():
        print(f'| {name} | {reason} |')


if __name__ == '__main__':
    main()
