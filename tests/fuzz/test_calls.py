r"""Everything public is called with right arguments, some of which are then
spoilt: each call gives a right answer, or an error that the package itself
raised and that names an argument.

The long run, with a table of its calls in the end:

    (ulimit -v 8000000; pytest tests/fuzz -s -o faulthandler_timeout=60 \
        --hypothesis-profile=long)
"""

import dis
import math
import re
from collections import Counter
from contextlib import suppress
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from pkgutil import iter_modules

import networkx
import numpy as np
import pytest
import scipy.sparse
import sklearn
import torch
from hypothesis import given, note
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import Linear, ReLU, Sequential
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import (
    GAT,
    GCN,
    GATConv,
    GCNConv,
    GINConv,
    SAGEConv,
    dense,
)
from torch_geometric.utils import to_undirected

import torch_geometric_vgcn as vgcn
from torch_geometric_vgcn import (
    analysis,
    loader,
    message_passing,
    models,
    nearest,
    objective,
    pairs,
    plots,
    posterior,
    prior,
    sample,
    scale,
    training,
)
from torch_geometric_vgcn import transforms as T

FOLDER = Path(vgcn.__file__).parent
#: Estimators leave the checks of tables to scikit-learn, as all do.
CHECKS = Path(sklearn.__file__).parent / 'utils'
NAN, INF = math.nan, math.inf
#: What isn't called here: abstract classes, parts and results of other calls,
#: and rooms of files and downloads, which tests of their own damage.
ELSEWHERE = {
    *('datasets', 'report', 'utils', 'Task', 'default_objective'),
    *('BackgroundEdges', 'Drawn', 'EdgeAttributes', 'GaussianPrediction'),
    *('GraphSample', 'Noise', 'Term', 'choose_route', 'AdjacencyMatrix'),
    *('DenseAdjacency', 'EdgeWeight', 'KeptEdges', 'MessageGate', 'AddEdges'),
    *('ApproximateSearch', 'CellSearch', 'Cells', 'BalancedSplit'),
    *('DropEdges', 'HideLabels', 'ShuffleFeatures'),
}
CALLS: Counter[str] = Counter()
REFUSED: Counter[str] = Counter()

WRONG = [
    *(lambda v=v: v for v in (None, True, '', 'abc', b'abc', ..., int)),
    *(lambda v=v: v for v in (0, 1, -1, 10**30, -(10**30), 2**63)),
    *(lambda v=v: v for v in (0.0, 0.5, 2.5, -3.5, 1e-320, 1e308, -1e308)),
    *(lambda v=v: v for v in (NAN, INF, -INF, 1j, Path('nowhere'))),
    *(lambda v=v: v for v in (Decimal('0.5'), Fraction(1, 3), slice(2))),
    *(lambda v=v: v for v in (range(3), (), (1, 2), frozenset())),
    *(dict, list, object, Data, HeteroData, torch.Generator, networkx.Graph),
    *(lambda: [1, 2], lambda: [[0, 1], [1, 2]], lambda: {'a': [1, 2]}),
    *(lambda v=v: np.array(v) for v in (0.5, [0.5, 0.5], [[0, 1]], [])),
    *(lambda v=v: torch.tensor(v) for v in (0.5, NAN, [], [0, 1, 2])),
    *(lambda: torch.ones(2, 2), lambda: torch.zeros(0, 3)),
    *(lambda: torch.eye(3).to_sparse(), lambda: torch.eye(3).to_sparse_csr()),
    *(lambda: scipy.sparse.eye_array(4).tocsr(), lambda: Linear(3, 2)),
    *(lambda: networkx.path_graph(4), lambda: lambda *args, **kwargs: None),
]
DTYPES = ('float', 'double', 'half', 'bfloat16', 'cfloat', 'long', 'int')
DTYPES += ('short', 'uint8', 'bool')
#: What happens to a right tensor.
WAYS = [
    *(lambda v, d=d: v.to(getattr(torch, d)) for d in DTYPES),
    *(torch.flatten, torch.zeros_like, torch.ones_like, torch.sum),
    *(lambda v: v[None], lambda v: v[..., None], lambda v: v.T),
    *(lambda v: v[:0], lambda v: v[:1], lambda v: v[:-1]),
    *(lambda v: v[..., :0], lambda v: v[..., :1], lambda v: torch.cat([v, v])),
    *(Tensor.numpy, Tensor.tolist, Tensor.to_sparse, Tensor.to_sparse_csr),
    lambda v: v.expand(3, *v.shape),
    lambda v: v.float().requires_grad_(),
    *(lambda v, e=e: _with(v.float(), e) for e in (NAN, INF, -INF)),
    *(lambda v, s=s: v.float() * s for s in (1e12, 1e-30)),
    *(lambda v, e=e: _with(v, e) for e in (-1, 99)),
    *(lambda v, e=e: _with(v.long(), e) for e in (2**62, -(2**62))),
]


def _with(value, entry):
    value.view(-1)[-1] = entry
    return value


class Passed(Exception):
    r"""Ends a case in which all is well."""


class Case:
    r"""A series of calls, whose arguments come from a drawn generator."""

    def __init__(self, name, rng):
        self.name, self.rng = name, rng
        # Which call gets a wrong argument, if there are so many:
        self.wrong = rng.randrange(10)
        torch.manual_seed(rng.randrange(2**32))

    def one_of(self, *values):
        return self.rng.choice(values)

    def maybe(self, chance=0.5):
        return self.rng.random() < chance

    def some(self, **options):
        return {k: v for k, v in options.items() if self.maybe()}

    def spoilt(self, value):
        if isinstance(value, Tensor) and self.maybe(0.7):
            value = value.to_dense() if value.is_sparse else value
            with suppress(IndexError, RuntimeError, TypeError):
                return self.one_of(*WAYS)(value.detach().clone())
        if isinstance(value, Data) and self.maybe(0.8):
            value, name = value.clone(), self.one_of(*sorted(value.keys()))
            if self.maybe():
                del value[name]
            else:
                value[name] = self.spoilt(value[name])
            return value
        return self.one_of(*WRONG)()

    def call(self, function, *args, step=False, **options):
        r"""Calls something public, and checks that its answer is finite. What
        isn't may go out of a part of a training step as it came in.
        """
        given = {**dict(enumerate(args)), **options}
        self.wrong -= 1
        if self.wrong == -1 and given:
            place = self.one_of(*given)
            given[place] = self.spoilt(given[place])
        note(f'{getattr(function, "__qualname__", function)}({given})')
        CALLS[self.name] += 1
        args = [given.pop(place) for place in range(len(args))]
        looked_at = not step or finite([args, given])
        answer = function(*args, **given)
        if not looked_at:
            raise Passed
        assert finite(answer)
        return answer


def finite(value):
    r"""Whether no number, wherever it is, is NaN or infinite."""
    if isinstance(value, Tensor):
        value = value.detach()
        value = value if value.layout == torch.strided else value.to_dense()
        return not value.is_floating_point() or bool(value.isfinite().all())
    if isinstance(value, float):
        return math.isfinite(value)
    if is_dataclass(value) and not isinstance(value, (type, Data)):
        return all(finite(getattr(value, f.name)) for f in fields(value))
    value = value.values() if isinstance(value, dict) else value
    parts = value if isinstance(value, (list, tuple)) else ()
    return all(map(finite, parts))


def is_own(error):
    r"""Whether the package itself raised an error, with a name in it."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    parents = Path(code.co_filename).parents
    if isinstance(error, (ValueError, TypeError)):
        named = re.search(
            r"'[\w. -]+'|\b[Xy]\b|[a-z]_[a-z]|[a-z][A-Z]|network", str(error)
        )
    else:
        named = isinstance(error, (RuntimeError, OSError, ImportError))
    if CHECKS in parents:
        return bool(named)
    raised = any(
        step.offset == trace.tb_lasti and step.opname.startswith('RAISE')
        for step in dis.get_instructions(code)
    )
    return bool(named) and FOLDER in parents and raised


# Tiny graphs and parts of learners, all of them right


def graph(case, least=2):
    n = case.rng.randint(least, 9)
    train = torch.rand(n) < 0.5
    train[0], train[-1] = True, False
    x = torch.randn(n, 3)
    return Data(
        x=case.one_of(x, x, (x > 0).float()),
        edge_index=edges(case, n),
        y=torch.arange(n) % 2,
        train_mask=train,
        val_mask=~train,
        test_mask=~train,
    )


def edges(case, n):
    index = torch.triu_indices(n, n, 1)
    count = case.rng.randint(1, min(index.size(1), 2 * n))
    index = index[:, torch.randperm(index.size(1))[:count]]
    return index if case.maybe(0.2) else to_undirected(index)


def observed(case, data):
    r"""The graph in one of the forms that it may be given in."""
    index, n = data.edge_index, data.num_nodes
    matrix = torch.zeros(n, n)
    matrix[index[0], index[1]] = 1
    nodes = networkx.empty_graph(n)
    nodes.add_edges_from(index.t().tolist())
    forms = (matrix.to_sparse(), matrix.to_sparse_csr(), nodes)
    forms += (scipy.sparse.csr_array(matrix.numpy()), index.numpy())
    return case.one_of(index, *forms, [tuple(e) for e in index.t().tolist()])


def some_pairs(case, data, call):
    kind = case.one_of(vgcn.AllPairs, pairs.Candidates, vgcn.ClusterPairs)
    if kind is vgcn.AllPairs:
        return call(kind, data.num_nodes)
    if kind is pairs.Candidates:
        return call(kind, data.edge_index, data.num_nodes)
    return call(kind, torch.arange(data.num_nodes) % case.one_of(1, 2))


def right(function, *args, **options):
    return function(*args, **options)


def some_prior(case, data, call=right):
    if case.maybe(0.3):
        made = call(
            prior.ConstantPrior,
            some_pairs(case, data, call),
            case.one_of(0.1, 0.5, 1e-6),
            **case.some(background=case.one_of(1e-5, 0.1)),
        )
    else:
        made = call(
            vgcn.SmoothedPrior,
            observed(case, data),
            data.num_nodes,
            **case.some(
                rho1=case.one_of(0.25, 0.99),
                rho0=1e-5,
                pairs=vgcn.AllPairs(data.num_nodes),
            ),
        )
    if case.maybe(0.3):
        similarity = case.one_of(
            prior.cosine_similarity,
            prior.jaccard_similarity,
            prior.negative_distance,
        )
        made = call(
            vgcn.EvidencePrior,
            made,
            data.x,
            **case.some(weight=2.0, similarity=similarity),
        )
    return check_prior(made)


def check_prior(made):
    assert made.logits.shape == (len(made.pairs),) and finite(made.logits)
    check_edges(made.pairs.index, made.num_nodes)
    return made


def check_edges(index, n):
    assert index.dtype == torch.long and index.dim() == 2
    assert not index.numel() or (index.min() >= 0 and index.max() < n)


def check_probs(prob):
    assert (prob >= 0).all() and (prob <= 1.0001).all()
    assert torch.allclose(prob.sum(-1).double(), torch.ones(1).double())


def some_posterior(case, call=right):
    made = case.one_of(
        lambda: call(vgcn.FreePosterior, **case.some(sparse=True)),
        lambda: call(vgcn.LowRankPosterior, rank=case.one_of(1, 2, 20)),
        lambda: call(vgcn.AmortizedPosterior, encoder=Linear(3, 4)),
        lambda: call(vgcn.AmortizedPosterior, encoder=GCNConv(3, 4)),
        lambda: call(vgcn.ClassPosterior, 2, **case.some(homophily=0.8)),
    )()
    if case.maybe(0.2):
        return call(posterior.SumPosterior, made, vgcn.FreePosterior())
    return made


def some_sampler(case, call=right):
    kinds = (sample.StraightThroughBernoulli, sample.PosteriorMean)
    kind = case.one_of(vgcn.BinaryConcrete, vgcn.Bernoulli, *kinds)
    given = {'temperature': case.one_of(0.01, 0.5, 2.0), 'tolerance': 0.1}
    if kind is not vgcn.BinaryConcrete:
        given = {}
    return call(kind, **case.some(**given))


def some_objective(case, call=right):
    kl = case.one_of(objective.BernoulliKL, vgcn.LogisticKL)()
    kind = case.one_of(vgcn.ELBO, objective.IWELBO, vgcn.SemiSupervisedELBO)
    given = {'beta': case.one_of(0.0, 0.01, 1.0)}
    if kind is vgcn.SemiSupervisedELBO:
        given |= {'weight': 1.0, 'temperature': 0.5, 'warmup': 2}
    return call(kind, kl, **case.some(**given))


def some_conv(case):
    mlp = Sequential(Linear(3, 4), ReLU(), Linear(4, 2))
    return case.one_of(
        lambda: GCNConv(3, 2),
        lambda: SAGEConv(3, 2),
        lambda: GATConv(3, 2),
        lambda: GINConv(mlp),
        lambda: GCN(3, 4, 2, 2),
        lambda: GAT(3, 4, 2, 2),
        lambda: models.PropagatedMLP(3, 4, 2),
        lambda: dense.DenseGCNConv(3, 2),
    )()


def some_learner(case, data, call=right, **given):
    if not isinstance(data.y, Tensor) or data.y.is_floating_point():
        given['posterior'] = vgcn.FreePosterior()
    parts = {
        'posterior': some_posterior(case, call),
        'sampler': some_sampler(case, call),
    }
    return call(
        vgcn.VariationalGraphLearner,
        some_conv(case),
        some_prior(case, data, call),
        **(case.some(**parts) | given),
    )


# What is called, by room


def of_pairs(case):
    data = graph(case)
    made, n = some_pairs(case, data, case.call), data.num_nodes
    if not isinstance(made.num_nodes, int) or made.num_nodes != n:
        return
    some = torch.randperm(n)[: n // 2 + 1]
    subset = case.call(made.subset, case.one_of(some, some.int()))
    check_edges(subset.index, subset.num_nodes)
    assert subset.position.numel() == len(subset)
    mask = case.call(made.contains, edges(case, n))
    assert mask.dtype == torch.bool and mask.shape == (len(made),)
    x = torch.randn(n, 3)
    assert case.call(made.dot, x, x, step=True).shape == (len(made),)


def of_prior(case):
    data = graph(case)
    made = some_prior(case, data, case.call)
    if made.num_nodes == data.num_nodes:
        some = torch.randperm(data.num_nodes)[: data.num_nodes // 2 + 1]
        check_prior(case.call(made.subset, some))
    where, n = some_prior(case, data).pairs, data.num_nodes
    measure = case.one_of(prior.degree_product, prior.resource_allocation)
    found = case.call(measure, observed(case, data), where)
    assert found.shape == (len(where),)
    measures = ('cosine_similarity', 'jaccard_similarity', 'negative_distance')
    x = case.one_of(data.x, data.x.to_sparse(), 1e-20 * data.x)
    found = case.call(getattr(prior, case.one_of(*measures)), x, where)
    assert found.shape == (len(where),)
    made = case.call(
        prior.Prior,
        where,
        torch.randn(len(where)),
        **case.some(background=1e-4, edge_index=data.edge_index),
    )
    check_prior(made)
    start = some_prior(case, graph(case, n))
    start = start if start.num_nodes == n else some_prior(case, data)
    prob = torch.nn.functional.one_hot(data.y, 2).float()
    evidence = [torch.randn(len(start.pairs)), torch.ones(len(start.pairs))]
    made = case.call(
        prior.FittedPrior,
        start,
        evidence,
        0.7 * prob + 0.15,
        data.y,
        data.train_mask,
        data.val_mask,
        **case.some(homophily=case.one_of(0.6, 0.99)),
    )
    check_prior(made)


def of_posterior(case):
    data = graph(case)
    made, given = some_posterior(case, case.call), some_prior(case, data)
    case.call(made.initialize_from, given)
    some = torch.randperm(data.num_nodes)[: data.num_nodes // 2 + 1]
    if case.maybe():
        given, data.x = given.subset(some), data.x[some]
    if isinstance(made, vgcn.AmortizedPosterior):
        logits = made(given, data.x)  # the encoder is the user's own
    else:
        logits = case.call(made, given, data.x)
    assert logits.shape == (len(given.pairs),) and repr(made)


def of_sample(case):
    data = graph(case)
    made, given = some_sampler(case, case.call), some_prior(case, data)
    logits = given.logits + torch.randn_like(given.logits)
    case.call(made.check, given)
    options = case.some(generator=torch.Generator().manual_seed(0))
    noise = case.call(made.noise, given, case.rng.randint(1, 3), **options)
    drawn = case.call(made, given, logits, noise, step=True)
    index, weight = case.call(drawn.edges, len(drawn) - 1)
    check_edges(index, given.num_nodes)
    assert (weight >= 0).all() and (weight <= 1).all()
    found = case.call(drawn.dense, 0)
    assert found.shape == (given.num_nodes, given.num_nodes)
    objective_, log_prob = some_objective(case, case.call), -torch.rand(3, 4)
    bound = case.call(
        objective_,
        log_prob[: len(drawn)],
        drawn,
        step=True,
        **case.some(num_labeled=7, kl_scale=case.one_of(1.0, 2.5)),
    )
    assert isinstance(bound, objective.Bound)


def of_objective(case):
    y, out = torch.tensor([0, 1, 2, 0]), torch.randn(4, 3)
    out = case.one_of(out, 1e15 * out, out.half(), out.expand(2, 4, 3))
    made = case.one_of(objective.Categorical, vgcn.MultiLabel, vgcn.Gaussian)
    if made is vgcn.Gaussian:
        made, y = case.call(made, num_targets=3), torch.randn(4, 3)
    else:
        y = y if made is objective.Categorical else torch.randint(2, (4, 3))
        made = made()
    found = case.call(made.log_prob, out, y, step=True)
    assert found.shape == out.shape[:-1]
    mean = case.call(made.mean, torch.randn(4, 3), step=True)
    mean = made.calibrated(mean)
    mask = case.one_of(torch.arange(4), torch.ones(4).bool())
    score, _ = case.call(vgcn.evaluate, mean, y, mask, made)
    assert score <= 1
    case.call(made.set_temperature, case.one_of(0.5, 3.0, 1e-300, 1e300))
    assert finite(made.calibrated(made.mean(out.float())))
    term = case.call(
        objective.Consistency,
        3,
        **case.some(weight=2.0, temperature=0.1, warmup=1),
    )
    out = torch.randn(2, 6, 3, requires_grad=True)
    y, known = torch.arange(6) % 3, torch.arange(6) < 3
    loss = case.call(term, out, y, known, step=True)
    assert loss.dim() == 0 and loss >= 0


def of_message_passing(case):
    data = graph(case)
    given, conv = some_prior(case, data), some_conv(case)
    sampler = some_sampler(case)
    sampler.check(given)
    drawn = sampler(given, given.logits, sampler.noise(given, 2))
    made = case.call(message_passing.ConvCall, conv, sampler)
    none = message_passing.no_attributes
    out = case.call(lambda *args: made(conv, *args, none), data.x, drawn)
    assert out.shape == (2, data.num_nodes, 2)
    case.call(message_passing.attributes_of, given, None, None)
    weight = torch.rand(data.num_edges)
    case.call(
        message_passing.EdgeWeights, data.edge_index, weight, data.num_nodes
    )


def of_models(case):
    data = graph(case)
    sizes = case.one_of((3, 4, 2), (3, 1, 1))
    made = case.call(
        models.PropagatedMLP,
        *sizes,
        **case.some(K=1, alpha=case.one_of(0, 1), dropout=case.one_of(0, 1)),
    )
    x = case.one_of(data.x, data.x.to_sparse(), data.x.to_sparse_csr())
    if made.hidden.in_channels == 3:
        assert finite(made(x, data.edge_index))
    kind = case.one_of(models.LabelPropagation, models.ValuePropagation)
    made = case.call(kind, 3, 4, torch.arange(2), torch.eye(2))
    made = case.call(models.GraphSAGE, 3, 4, 2, case.one_of(0, 0.5))
    dropout = case.call(message_passing.SparseDropout, case.one_of(0, 0.5))
    assert case.call(dropout, x, step=True).shape == x.shape


def of_learner(case):
    data = graph(case)
    made = some_learner(case, data, case.call)
    x = case.one_of(data.x, data.x.to_sparse(), data.x.requires_grad_())
    shape, options = (data.num_nodes, 2), {'noise': made.noise(2)}
    out = case.call(made, x, **case.some(**options, prior=made.prior))
    assert out.shape[-2:] == shape
    mask = case.one_of(data.train_mask, torch.tensor([0]), None)
    bound = case.call(
        made.objective, out, data.y, step=True, **case.some(mask=mask)
    )
    if bound.loss.requires_grad:
        bound.loss.backward()
        grads = [p.grad for p in made.parameters() if p.grad is not None]
        assert finite(grads)
    prob = case.call(made.predict, x, **case.some(num_samples=3, **options))
    check_probs(prob)
    assert prob.shape == shape
    found = case.call(made.edge_probs, x, **case.some(prior=made.prior))
    assert (found >= 0).all() and (found <= 1).all()
    found = case.call(made.learned_graph, case.one_of(0, 0.5, 1), x)
    check_edges(found.edge_index, data.num_nodes)
    some = torch.randperm(data.num_nodes)[: data.num_nodes // 2 + 1]
    out = case.call(made, data.x[some], prior=made.prior.subset(some))
    layer = case.call(vgcn.SharedGraph, GCNConv(2, 2), made)
    assert case.call(layer, made(data.x)).shape[-2:] == shape
    fixed = case.call(vgcn.FixedGraph, GCNConv(3, 2), data.edge_index)
    check_probs(case.call(fixed.predict, data.x))


def of_training(case):
    data = graph(case, 6)
    likelihood = case.one_of(None, None, vgcn.MultiLabel(), vgcn.Gaussian(2))
    if isinstance(likelihood, vgcn.Gaussian):
        data.y = torch.randn(data.num_nodes, 2)
    elif likelihood is not None:
        data.y = (torch.rand(data.num_nodes, 2) < 0.5).float()
    made = some_learner(case, data, likelihood=likelihood)
    if case.maybe(0.2) and likelihood is None:
        made = vgcn.FixedGraph(GCNConv(3, 2), data.edge_index)
    clusters = case.call(
        loader.ClusterData,
        data,
        2,
        log=False,
        **case.some(recursive=True, keep_inter_cluster_edges=True),
    )
    batches = ClusterLoader(loader.ClusterData(data, 2, log=False))
    assert clusters.cluster.numel() == data.num_nodes
    options = {
        'lr': 1e-5,
        'logit_lr': 1.0,
        'weight_decay': 0.0,
        'num_samples': case.one_of(1, 2),
        'patience': 1,
        'checkpoint': 'run.pt',
        'checkpoint_every': 1,
    }
    given = {'epochs': case.one_of(1, 2), 'progress': False}
    given |= case.some(**options)
    if isinstance(made, vgcn.FixedGraph) or case.maybe():
        result = case.call(vgcn.fit, made, data, **given)
    else:
        result = case.call(vgcn.fit_batches, made, data, batches, **given)
        weight = case.call(loader.PairWeight, batches)
        case.call(weight, made.prior)
        weight = case.call(loader.SampledPairWeight, made.prior, 2)
        case.call(weight, made.prior)
        some = [torch.arange(3), torch.arange(3, data.num_nodes)]
        case.call(vgcn.predict_batches, made, data.x, some)
    assert isinstance(result, training.Fit) and result.val_score <= 1
    case.call(vgcn.calibrate, made, data, **case.some(num_samples=2))
    case.call(training.optimizers, made, 5, **case.some(lr=0.1))
    if likelihood is None:
        check_prior(case.call(vgcn.fitted_prior, data, epochs=2))


def of_transforms(case):
    data = graph(case)
    data.edge_index = to_undirected(data.edge_index)
    seed, share = case.some(seed=5), case.one_of(0.5, 1.0)
    changes = {'add': case.one_of(1, 2, 0.5)}
    moves = case.some(add=case.one_of(0, 3), remove=1)
    name, given = case.one_of(
        ('UnitRows', {}),
        ('HalfValidation', seed),
        ('ShuffleWords', {'share': share, **seed}),
        ('StratifiedSplit', {'num_train': case.one_of(2, 0.4), 'num_val': 1}),
        ('KNNGraph', {'k': 1, **case.some(mutual=True, cosine=False)}),
        ('SimilarityAttack', {**changes, **seed}),
        ('NeighborhoodAttack', {**changes, **seed}),
        ('DegreePerturbation', {**moves, **seed}),
        ('RandomPerturbation', {**moves, **seed}),
        ('PoisonGraph', {**moves, **case.some(window=2, dim=2)}),
        ('GradientAttack', {'budget': 1, 'block_size': 10, 'epochs': 1}),
    )
    if name == 'GradientAttack':
        kind = case.one_of(T.TrainedGCN, T.LearnerSurrogate)
        given['surrogate'] = case.call(kind, epochs=1)
    made = case.call(getattr(T, name), **given)
    found = case.call(made, data)
    assert repr(made) and found.num_nodes == data.num_nodes
    for key in ('edge_index', 'added_pairs', 'removed_pairs'):
        if found.get(key) is not None:
            check_edges(found[key], found.num_nodes)
    for key in ('train_mask', 'val_mask', 'test_mask'):
        mask = found.get(key)
        assert mask is None or len(mask)


def of_nearest(case):
    n = case.rng.randint(2, 9)
    x = torch.randn(n, case.rng.randint(1, 4))
    x = case.one_of(x, x.round(), 0 * x, x * 1e38, x * 1e-38, x.double())
    x = case.one_of(x, x, x.to_sparse(), x.to_sparse_csr(), x.half())
    metric = case.one_of(nearest.Cosine(), nearest.Minkowski())
    if case.maybe():
        metric = case.call(nearest.Minkowski, p=case.one_of(1, 3.5, INF))
    search = case.call(nearest.ExactSearch, **case.some(block_size=3))
    k = case.rng.randint(1, n - 1)
    found = case.call(search, x, k, metric)
    node = torch.arange(len(found)).view(-1, 1)
    assert found.dtype == torch.long and (found >= 0).all()
    assert (found < len(found)).all() and not (found == node).any()


def of_analysis(case):
    data = graph(case)
    made = vgcn.VariationalGraphLearner(
        GCNConv(3, 2), some_prior(case, data), vgcn.FreePosterior()
    )
    with torch.no_grad():
        made.posterior.offset += torch.randn(len(made.prior.pairs))
    options = case.some(min_change=case.one_of(0, 1), x=data.x)
    case.call(analysis.communities, data)
    found = case.call(analysis.moved_links, made, **options)
    assert isinstance(found, analysis.MovedLinks)
    prob, y = torch.rand(8, 3).softmax(dim=-1), torch.arange(8) % 3
    mask = case.one_of(torch.arange(8) % 2 == 0, torch.tensor([1, 5]))
    assert case.call(analysis.best_temperature, prob, y, mask) > 0.04
    found = case.call(analysis.calibration, prob, y, mask, bins=2)
    assert isinstance(found, analysis.Calibration) and found.error <= 1
    index = torch.randint(40, (2, 300))
    index = index[:, index[0] != index[1]]
    found = case.call(analysis.right_edges, index, torch.randn(40, 3))
    assert found is None or 0 <= found[1] <= 1
    plots_of(case, data, made, prob, y, mask)


def plots_of(case, data, made, prob, y, mask):
    pyplot = pytest.importorskip('matplotlib.pyplot')
    pyplot.switch_backend('Agg')
    history = {'a': [0.1, 0.5, 1.0], 'b': torch.rand(4)}
    nodes = torch.arange(2)
    try:
        case.one_of(
            lambda: case.call(plots.plot_posterior_histogram, made),
            lambda: case.call(plots.plot_posterior_change, made),
            lambda: case.call(plots.plot_community, data, made, nodes),
            lambda: case.call(plots.plot_convergence, history),
            lambda: case.call(plots.plot_reliability, prob, y, mask),
        )()
    finally:
        pyplot.close('all')


def of_scale(case):
    n = 8
    graph = case.call(
        scale.write_graph,
        'graph',
        torch.randn(n, 3),
        edges(case, n),
        torch.arange(n) % 2,
        torch.arange(n) < 4,
        torch.arange(n) >= 4,
        cluster=torch.arange(n) % 4,
        progress=False,
        **case.some(rho1=0.5, rho0=1e-3),
    )
    assert graph.num_nodes == n
    graph = case.call(scale.StoredGraph, 'graph')
    with training.process_group():
        learner = vgcn.VariationalGraphLearner(
            GCNConv(3, 2), graph.prior(), scale.ShardedPosterior()
        )
        options = case.some(batch_size=2, together=2)
        batches = case.call(scale.StoredClusters, graph, **options)
        options = case.some(checkpoint='run', checkpoint_every=1)
        options |= {'epochs': case.one_of(1, 2), 'progress': False}
        case.call(vgcn.fit, learner, graph, batches, **options)
        options = case.some(batch_size=2, num_samples=2, out='prob.npy')
        _, prob = case.call(scale.predict_clusters, learner, **options)
        check_probs(prob)
        options = case.some(threshold=0.5, folder='edges')
        found = case.call(scale.learned_edges, learner, **options)
        check_edges(found.edge_index, n)


ROOMS = {
    name.removeprefix('of_'): value
    for name, value in list(globals().items())
    if name.startswith('of_')
}


@pytest.fixture(autouse=True)
def table():
    r"""Prints how many calls a room had."""
    yield
    for room, count in CALLS.items():
        print(f'{room}: {count} calls, {REFUSED[room]} cases refused')
    CALLS.clear()


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('room', ROOMS)
@given(rng=st.randoms(use_true_random=False))
def test_calls(room, rng, tmp_path_factory):
    case = Case(room, rng)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp('case'))
        try:
            ROOMS[room](case)
        except Passed:
            pass
        except Exception as error:
            if not is_own(error):
                raise
            REFUSED[room] += 1


def public_names():
    for part in iter_modules(vgcn.__path__):
        room = import_module(f'{vgcn.__name__}.{part.name}')
        if part.ispkg and part.name not in ELSEWHERE:
            for name in getattr(room, '__all__', ()):
                if not isabstract(getattr(room, name)):
                    yield name


def test_each_public_name_is_called():
    files = Path(__file__).parent.glob('test_*.py')
    words = set(re.findall(r'\w+', ' '.join(map(Path.read_text, files))))
    assert set(public_names()) - words - ELSEWHERE == set()
