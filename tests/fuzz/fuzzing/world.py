r"""Tiny graphs, networks and the parts of a learner."""

from typing import Any

import networkx
import torch
from torch import Tensor
from torch.nn import Linear, Module, ReLU, Sequential
from torch_geometric.data import Data
from torch_geometric.nn import (
    GAT,
    GCN,
    GATConv,
    GCNConv,
    GINConv,
    GraphConv,
    SAGEConv,
    dense,
)
from torch_geometric.utils import to_undirected

import torch_geometric_vgcn as vgcn
from fuzzing.case import Case
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.posterior import Posterior
from torch_geometric_vgcn.prior import (
    Prior,
    cosine_similarity,
    jaccard_similarity,
    negative_distance,
)
from torch_geometric_vgcn.sample import Sampler

FEATURES, CLASSES = 3, 2


def edges(case: Case, num_nodes: int) -> Tensor:
    r"""Some of the pairs, at least one, in both directions or one."""
    pairs = torch.triu_indices(num_nodes, num_nodes, 1)
    count = case.random.randint(1, min(pairs.size(1), 2 * num_nodes))
    pairs = pairs[:, torch.randperm(pairs.size(1))[:count]]
    return pairs if case.maybe(0.2) else to_undirected(pairs)


def graph(case: Case, least: int = 2) -> Data:
    r"""A graph of few nodes, with all that the package knows."""
    n = case.random.randint(least, 9)
    x = torch.randn(n, FEATURES)
    if case.maybe(0.2):
        x = (x > 0).float()
    train = torch.rand(n) < 0.5
    train[0], train[-1] = True, False
    return Data(
        x=x,
        edge_index=edges(case, n),
        y=torch.arange(n) % CLASSES,
        train_mask=train,
        val_mask=~train,
        test_mask=~train,
    )


def features(case: Case, x: Tensor) -> Any:
    r"""Right or wrong features, but as wide as the convs are: what else a
    conv takes only itself can know.
    """
    given = case.arg(x)
    if isinstance(given, Tensor) and given.shape[-1:] != x.shape[-1:]:
        return x
    return given


def observed(case: Case, data: Data) -> Any:
    r"""The graph in one of the forms that it may be given in."""
    n, index = data.num_nodes, data.edge_index
    matrix = torch.zeros(n, n)
    matrix[index[0], index[1]] = 1
    form = case.random.randrange(6)
    if form == 0:
        return matrix.to_sparse()
    if form == 1:
        return matrix.to_sparse_csr()
    if form == 2:
        found = networkx.empty_graph(n)
        found.add_edges_from(index.t().tolist())
        return found
    return index


def pairs(case: Case, data: Data) -> Any:
    kind = case.one_of(vgcn.AllPairs, vgcn.pairs.Candidates, vgcn.ClusterPairs)
    if kind is vgcn.AllPairs:
        return case.call(kind, case.arg(data.num_nodes))
    if kind is vgcn.pairs.Candidates:
        return case.call(
            kind, case.arg(data.edge_index), case.arg(data.num_nodes)
        )
    cluster = torch.arange(data.num_nodes) % 2
    if case.maybe():
        cluster.zero_()
    return case.call(kind, case.arg(cluster))


def prior(case: Case, data: Data) -> Prior:
    kind = case.random.randrange(3)
    if kind == 0:
        made = case.call(
            vgcn.prior.ConstantPrior,
            case.arg(pairs(case, data)),
            case.arg(0.1, 0.5, 1e-6),
            **case.kwargs(background=case.one_of(1e-5, 0.1)),
        )
    else:
        where = case.one_of(None, vgcn.AllPairs(data.num_nodes))
        made = case.call(
            vgcn.SmoothedPrior,
            case.arg(observed(case, data)),
            case.arg(data.num_nodes),
            **case.kwargs(
                rho1=case.one_of(0.25, 0.99),
                rho0=case.one_of(None, 1e-5),
                pairs=where,
                edge_attr=case.one_of(None, None, None),
            ),
        )
    if kind == 2:
        similarity = case.one_of(
            cosine_similarity, jaccard_similarity, negative_distance
        )
        made = case.call(
            vgcn.EvidencePrior,
            case.arg(made),
            case.arg(data.x),
            **case.kwargs(weight=2.0, similarity=similarity),
        )
    check_logits(case, made.logits, made)
    return made


def check_logits(case: Case, logits: Any, prior: Prior) -> None:
    right = logits.shape == (len(prior.pairs),)
    case.check(right and bool(logits.isfinite().all()), 'logits')
    index = prior.pairs.index
    case.check_edges(index, prior.num_nodes)
    case.check(bool((index[0] < index[1]).all()), 'pairs i < j')


def encoder(case: Case) -> Module:
    return case.one_of(Linear(FEATURES, 4), GCNConv(FEATURES, 4))


def posterior(case: Case, depth: int = 0) -> Posterior:
    kind = case.random.randrange(6 if depth == 0 else 5)
    if kind == 0:
        return case.call(
            vgcn.FreePosterior, **case.kwargs(sparse=case.maybe())
        )
    if kind == 1:
        return case.call(
            vgcn.LowRankPosterior, **case.kwargs(rank=case.one_of(1, 2, 20))
        )
    if kind == 2:
        return case.call(vgcn.AmortizedPosterior, case.arg(encoder(case)))
    if kind == 3:
        return case.call(vgcn.FreePosterior)
    if kind == 4:
        return case.call(
            vgcn.ClassPosterior,
            case.arg(CLASSES),
            **case.kwargs(homophily=case.one_of(0, 0.8, 1), momentum=0.5),
        )
    left = posterior(case, 1)
    return case.call(left.__add__, case.arg(posterior(case, 1)))


def sampler(case: Case) -> Sampler:
    kind = case.random.randrange(5)
    if kind < 2:
        return case.call(
            vgcn.BinaryConcrete,
            **case.kwargs(
                temperature=case.one_of(0.1, 0.5, 0.66, 0.01, 2.0),
                tolerance=case.one_of(1e-3, 0.1, 1e-9),
            ),
        )
    kinds = (
        vgcn.Bernoulli,
        vgcn.sample.StraightThroughBernoulli,
        vgcn.sample.PosteriorMean,
    )
    return case.call(kinds[kind - 2])


def objective(case: Case) -> Any:
    divergence = case.one_of(vgcn.objective.BernoulliKL, vgcn.LogisticKL)
    given = {}
    if divergence is vgcn.LogisticKL:
        given = case.kwargs(temperature=case.one_of(0.1, 0.5, 2.0))
    kind = case.one_of(
        vgcn.ELBO, vgcn.objective.IWELBO, vgcn.SemiSupervisedELBO
    )
    options = {'beta': case.one_of(0.0, 0.01, 1.0)}
    if kind is vgcn.SemiSupervisedELBO:
        options |= {
            'weight': case.one_of(0.0, 1.0, 20.0),
            'temperature': case.one_of(0.1, 0.5, 1.0),
            'warmup': case.one_of(0, 2, 50),
        }
    return case.call(
        kind,
        case.arg(case.call(divergence, **given)),
        **case.kwargs(**options),
    )


def conv(case: Case, size: int = FEATURES) -> Module:
    mlp = Sequential(Linear(size, 4), ReLU(), Linear(4, CLASSES))
    return case.one_of(
        GCNConv(size, CLASSES),
        GraphConv(size, CLASSES),
        SAGEConv(size, CLASSES),
        GATConv(size, CLASSES),
        GINConv(mlp),
        GCN(size, 4, 2, CLASSES),
        PropagatedMLP(size, 4, CLASSES, input_dropout=0, dropout=0),
        GAT(size, 4, 2, CLASSES),
        dense.DenseGCNConv(size, CLASSES),
    )


def likelihood(case: Case, data: Data) -> Any:
    r"""One whose labels aren't classes; the graph gets such labels."""
    n = data.num_nodes
    if case.maybe():
        data.y = (torch.rand(n, CLASSES) < 0.5).to(
            case.one_of(torch.float, torch.double, torch.bool, torch.int64)
        )
        made = case.call(vgcn.MultiLabel)
    else:
        data.y = torch.randn(n, CLASSES)
        made = case.call(vgcn.Gaussian, case.arg(CLASSES))
    if data.y.is_floating_point() and case.maybe(0.3):
        data.y[:, 0] = float('nan')  # unknown
    return made


def learner(
    case: Case, data: Data, likelihood: Any = None
) -> vgcn.VariationalGraphLearner:
    return case.call(
        vgcn.VariationalGraphLearner,
        case.arg(conv(case)),
        case.arg(prior(case, data)),
        **case.kwargs(
            posterior=posterior(case),
            sampler=sampler(case),
            objective=case.one_of(None, objective(case)),
        ),
        likelihood=likelihood
        or case.one_of(None, case.call(vgcn.objective.Categorical)),
    )
