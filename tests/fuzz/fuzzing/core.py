r"""Calls of the model's parts, from the pairs to the learner."""

import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

import fuzzing.world as world
import torch_geometric_vgcn as vgcn
from fuzzing.case import Case, target
from torch_geometric_vgcn.message_passing import (
    ConvCall,
    attributes_of,
    no_attributes,
)
from torch_geometric_vgcn.models import (
    LabelPropagation,
    PropagatedMLP,
    ValuePropagation,
)
from torch_geometric_vgcn.objective import Bound
from torch_geometric_vgcn.posterior import SumPosterior
from torch_geometric_vgcn.prior import (
    Prior,
    cosine_similarity,
    degree_product,
    jaccard_similarity,
    negative_distance,
    resource_allocation,
)

torch.set_warn_always(False)


@target('AllPairs', 'Candidates', 'ClusterPairs')
def pairs(case: Case) -> None:
    data = world.graph(case)
    made = world.pairs(case, data)
    n, some = made.num_nodes, torch.randperm(made.num_nodes)
    way = case.random.randrange(4)
    if way == 0:
        subset = case.call(
            made.subset, case.arg(some, some[: n // 2 + 1], some.int())
        )
        case.check_edges(subset.index, subset.num_nodes)
        case.check(subset.position.numel() == len(subset), 'position')
        if len(subset) > 0:
            high = int(subset.position.max())
            case.check(high < len(made), 'position')
    elif way == 1 and len(made) > 0:
        mask = case.call(made.contains, case.arg(world.edges(case, n)))
        right = mask.dtype == torch.bool and mask.shape == (len(made),)
        case.check(right, 'a mask of the pairs')
    elif way == 2:
        x = torch.randn(n, 3)
        out = case.step(made.dot, case.arg(x), case.arg(x))
        case.check(out.shape == (len(made),), 'one product for each pair')
    elif isinstance(made, vgcn.AllPairs):
        value = torch.rand(len(made))
        out = case.call(made.to_dense, case.arg(value))
        case.check(out.shape == (n, n), 'shape [N, N]')
        case.check(torch.equal(out, out.t()), 'symmetric')
    elif isinstance(made, vgcn.ClusterPairs):
        mask = case.call(made.joins, case.arg(world.edges(case, n)))
        case.check(mask.dtype == torch.bool, 'a mask')
        case.call(made.clusters)
    repr(made)


@target('SmoothedPrior', 'ConstantPrior', 'EvidencePrior')
def prior(case: Case) -> None:
    data = world.graph(case)
    made = world.prior(case, data)
    way = case.random.randrange(3)
    if way == 0:
        some = torch.randperm(data.num_nodes)[: data.num_nodes // 2 + 1]
        subset = case.call(made.subset, case.arg(some))
        world.check_logits(case, subset.logits, subset)
    elif way == 1:
        case.call(made.check_observed, case.arg(world.observed(case, data)))
    repr(made)


@target('Prior')
def prior_base(case: Case) -> None:
    data = world.graph(case)
    with case.right():
        pairs = world.pairs(case, data)
    made = case.call(
        Prior,
        case.arg(pairs),
        case.arg(torch.randn(len(pairs)), torch.randn(len(pairs)).double()),
        **case.kwargs(
            background=1e-4,
            edge_index=data.edge_index,
            edge_attr=torch.rand(data.num_edges, 2),
        ),
    )
    world.check_logits(case, made.logits, made)


@target('cosine_similarity', 'jaccard_similarity', 'negative_distance')
def similarity(case: Case) -> None:
    data = world.graph(case)
    with case.right():
        pairs = world.pairs(case, data)
    function = case.one_of(
        cosine_similarity, jaccard_similarity, negative_distance
    )
    x = case.one_of(data.x, data.x.to_sparse(), 1e-20 * data.x)
    out = case.call(function, case.arg(x), case.arg(pairs))
    case.check(out.shape == (len(pairs),), 'one value for each pair')


@target('degree_product', 'resource_allocation')
def structure(case: Case) -> None:
    data = world.graph(case)
    with case.right():
        pairs = world.pairs(case, data)
    function = case.one_of(degree_product, resource_allocation)
    graph = case.arg(world.observed(case, data))
    out = case.call(function, graph, case.arg(pairs))
    case.check(out.shape == (len(pairs),), 'one value for each pair')


@target('FittedPrior')
def fitted(case: Case) -> None:
    data = world.graph(case)
    with case.right():
        start = world.prior(case, data)
    prob = torch.nn.functional.one_hot(data.y, world.CLASSES).float()
    evidence = [torch.randn(len(start.pairs)), torch.ones(len(start.pairs))]
    made = case.call(
        vgcn.prior.FittedPrior,
        case.arg(start),
        case.arg(evidence, evidence[:1]),
        case.arg(prob, 0.7 * prob + 0.3 / world.CLASSES),
        case.arg(data.y),
        case.arg(data.train_mask),
        case.arg(data.val_mask),
        **case.kwargs(homophily=case.one_of(0.6, 0.99)),
    )
    world.check_logits(case, made.logits, made)
    repr(made)


@target(
    'FreePosterior',
    'LowRankPosterior',
    'AmortizedPosterior',
    'ClassPosterior',
    'SumPosterior',
)
def posterior(case: Case) -> None:
    data = world.graph(case)
    made = world.posterior(case)
    if case.maybe(0.2):
        made = case.call(SumPosterior, case.arg(made))
    with case.right():
        prior = world.prior(case, data)
    case.call(made.initialize_from, case.arg(prior))
    if case.maybe():
        some = torch.randperm(data.num_nodes)[: data.num_nodes // 2 + 1]
        sub, x = prior.subset(some), data.x[some]
    elif case.maybe(0.2):
        with case.right():
            other = world.graph(case)
            sub, x = world.prior(case, other), other.x
    else:
        sub, x = prior, data.x
    logits = case.call(made, case.arg(sub), world.features(case, x))
    case.check(logits.shape == (len(sub.pairs),), 'one logit for each pair')
    repr(made)


@target(
    'BinaryConcrete',
    'Bernoulli',
    'StraightThroughBernoulli',
    'PosteriorMean',
    'GraphSample',
    'Drawn',
    'Noise',
    'BackgroundEdges',
)
def sampler(case: Case) -> None:
    data = world.graph(case)
    made = world.sampler(case)
    with case.right():
        prior = world.prior(case, data)
        logits = prior.logits + torch.randn_like(prior.logits)
    case.call(made.check, case.arg(prior))
    given = case.kwargs(generator=torch.Generator().manual_seed(0))
    count = case.random.randint(1, 3)
    noise = case.call(made.noise, case.arg(prior), case.arg(count), **given)
    sample = case.step(made, case.arg(prior), case.arg(logits), noise)
    n = prior.num_nodes
    edge_index, weight = case.call(sample.edges, case.arg(0, len(sample) - 1))
    case.check_edges(edge_index, n)
    inside = bool((weight >= 0).all() and (weight <= 1).all())
    case.check(inside, 'weights in [0, 1]')
    adjacency = case.call(sample.dense, case.arg(0))
    case.check(adjacency.shape == (n, n), 'shape [N, N]')
    if case.maybe():
        part = case.call(noise.__getitem__, case.arg(slice(0, 1)))
        case.check(len(part) == 1, 'one graph')
    repr(made)


@target(
    'ELBO', 'IWELBO', 'SemiSupervisedELBO', 'BernoulliKL', 'LogisticKL',
    'Bound',
    'default_objective',
)  # fmt: skip
def objective(case: Case) -> None:
    data = world.graph(case)
    made = world.objective(case)
    with case.right():
        prior = world.prior(case, data)
        sampler = world.sampler(case)
    count = case.random.randint(1, 3)
    noise = case.call(sampler.noise, prior, count)
    logits = (prior.logits + torch.randn_like(prior.logits)).requires_grad_()
    sample = case.call(sampler, prior, logits, noise)
    if case.maybe(0.3):
        weight = torch.rand(len(prior.pairs))
        kl = case.step(made.kl, case.arg(sample), case.arg(weight))
        case.check(kl.shape == (count,), 'one divergence for each graph')
    log_prob = -torch.rand(count, case.random.randint(0, 4))
    bound = case.step(
        made,
        case.arg(log_prob),
        case.arg(sample),
        **case.kwargs(
            num_labeled=7,
            kl_scale=case.one_of(1.0, 2.5, torch.rand(len(prior.pairs))),
        ),
    )
    case.check(isinstance(bound, Bound), 'a Bound')
    if bound.loss.requires_grad:
        bound.loss.backward()
        case.check(bool(logits.grad.isfinite().all()), 'finite gradients')
    repr(made)


@target('Categorical')
def likelihood(case: Case) -> None:
    made = vgcn.objective.Categorical()
    out = torch.randn(4, 3)
    if case.maybe(0.3):
        case.check_probs(case.step(made.mean, case.arg(out, 1e20 * out)))
    elif case.maybe(0.4):
        case.call(made.set_temperature, case.arg(0.5, 3.0, 1e-300, 1e300))
        prob = (case.one_of(1, 100) * out).softmax(dim=-1)
        prob = case.one_of(prob, prob.half(), prob.double())
        case.check_probs(case.call(made.calibrated, prob))
    else:
        y = torch.tensor([0, 1, 2, 0])
        out = case.arg(out)
        found = case.step(made.log_prob, out, case.arg(y))
        case.check(found.shape == out.shape[:-1], 'one for each node')
        case.check(bool((found <= 0).all()), 'log-probabilities')


@target('Gaussian', 'GaussianPrediction')
def gaussian(case: Case) -> None:
    count = case.one_of(None, 1, 3)
    made = case.call(vgcn.Gaussian, case.arg(count))
    shape = (4,) if made.num_targets is None else (4, made.num_targets)
    y, out = torch.randn(shape), torch.randn(4, shape[-1] if count else 1)
    case.call(made.set_temperature, case.one_of(1.0, 0.5, 1e-300, 1e300))
    if case.maybe(0.4):
        out = case.arg(out, 1e15 * out, out.expand(2, *out.shape))
        found = case.step(made.log_prob, out, case.arg(y))
        case.check(found.shape == out.shape[:-1], 'one for each node')
        return
    moments = case.step(made.mean, case.arg(out, 1e15 * out, out.half()))
    prediction = case.call(made.calibrated, case.arg(moments))
    case.check(bool((prediction.variance > 0).all()), 'variances')
    prediction = vgcn.objective.GaussianPrediction(*map(case.arg, prediction))
    score, _ = case.call(
        vgcn.evaluate,
        case.arg(prediction),
        case.arg(y),
        case.arg(torch.arange(4)),
        case.arg(made),
    )
    case.check(score <= 1, 'at most one')


@target('MultiLabel')
def multi_label(case: Case) -> None:
    made, out = vgcn.MultiLabel(), torch.randn(4, 3)
    y = torch.randint(2, (4, 3))
    y = case.one_of(y, y.float(), y.bool())
    case.call(made.set_temperature, case.one_of(1.0, 0.5, 1e-300, 1e300))
    if case.maybe(0.4):
        out = case.arg(out, 1e15 * out, out.expand(2, *out.shape))
        found = case.step(made.log_prob, out, case.arg(y))
        case.check(found.shape == out.shape[:-1], 'one for each node')
        case.check(bool((found <= 0).all()), 'log-probabilities')
        return
    prob = case.step(made.mean, case.arg(out, 1e15 * out, out.half()))
    prob = case.call(made.calibrated, prob)
    case.check(bool(((prob >= 0) & (prob <= 1)).all()), 'probabilities')
    score, nll = case.call(
        vgcn.evaluate,
        case.arg(prob),
        case.arg(y),
        case.arg(torch.arange(4), torch.ones(4).bool()),
        case.arg(made),
    )
    case.check(0 <= score <= 1 and nll >= 0, 'score and likelihood')


@target('Consistency')
def consistency(case: Case) -> None:
    made = case.call(
        vgcn.objective.Consistency,
        case.arg(3),
        **case.kwargs(
            weight=case.one_of(0.0, 2.0),
            temperature=case.one_of(0.1, 0.5, 1.0),
            warmup=case.one_of(0, 1, 100),
            class_share=case.one_of(None, torch.tensor([1, 2, 3])),
        ),
    )
    for _ in range(2):
        out = torch.randn(case.random.randint(1, 3), 6, 3, requires_grad=True)
        loss = case.step(
            made,
            case.arg(out, 100 * out, out[0]),
            case.arg(torch.arange(6) % 3),
            case.arg(torch.arange(6) < 3, torch.tensor([5, 0])),
        )
        case.check(loss.dim() == 0 and float(loss) >= 0, 'a scalar')
        if loss.requires_grad:
            (grad,) = torch.autograd.grad(loss, out, allow_unused=True)
            finite = grad is None or bool(grad.isfinite().all())
            case.check(finite, 'finite gradients')
    repr(made)


@target('PropagatedMLP')
def propagated_mlp(case: Case) -> None:
    data = world.graph(case)
    made = case.call(
        PropagatedMLP,
        case.arg(world.FEATURES),
        case.arg(4),
        case.arg(world.CLASSES),
        **case.kwargs(
            K=case.one_of(1, 8),
            alpha=case.one_of(0, 0.2, 1),
            input_dropout=case.one_of(0, 0.8, 1),
            dropout=case.one_of(0, 0.5, 1),
        ),
    )
    if made.hidden.in_channels != world.FEATURES:
        return
    x = case.one_of(data.x, data.x.to_sparse(), data.x.to_sparse_csr())
    out = case.call(made, x, data.edge_index)
    case.check(out.shape == (data.num_nodes, made.out.out_channels), 'shape')
    repr(made)


@target('LabelPropagation', 'ValuePropagation')
def label_propagation(case: Case) -> None:
    data = world.graph(case)
    made = case.call(
        case.one_of(LabelPropagation, ValuePropagation),
        world.FEATURES,
        case.arg(4),
        case.arg(torch.arange(2)),
        case.arg(torch.eye(2)),
        **case.kwargs(
            input_dropout=case.one_of(0, 0.3), dropout=case.one_of(0, 0.5)
        ),
    )
    with case.right():
        out = made.eval()(data.x, data.edge_index)
    case.check(out.shape[0] == data.num_nodes, 'shape')


@target('VariationalGraphLearner')
def learner(case: Case) -> None:
    data = world.graph(case)
    made = world.learner(case, data)
    out = case.call(made, data.x, num_samples=2)
    case.check(out.shape == (2, data.num_nodes, world.CLASSES), 'shape')
    case.step(made.objective, out, data.y, data.train_mask)
    repr(made)


@target('VariationalGraphLearner')
def bound(case: Case) -> None:
    data = world.graph(case)
    made = good_learner(case, data)
    z = case.call(made, data.x, num_samples=2)
    log_prob = torch.nn.functional.logsigmoid(z[:, :1] * z[:, 1:]).sum(-1)
    found = case.step(
        made.bound,
        case.arg(log_prob),
        **case.kwargs(
            num_labeled=case.one_of(None, 5),
            kl_scale=case.one_of(1.0, torch.ones(len(made.prior.pairs))),
            sample=made.sample,
        ),
    )
    case.check(isinstance(found, Bound), 'a Bound')


def good_learner(case: Case, data: Data) -> vgcn.VariationalGraphLearner:
    with case.right():
        return world.learner(case, data)


@target('VariationalGraphLearner')
def forward(case: Case) -> None:
    data = world.graph(case)
    made = good_learner(case, data)
    x = case.one_of(data.x, data.x.to_sparse(), data.x.requires_grad_())
    given = {}
    if case.maybe(0.3) and made.prior.edge_index is not None:
        given['edge_index'] = case.arg(world.observed(case, data))
    out = case.call(
        made,
        world.features(case, x),
        **given,
        **case.kwargs(
            edge_attr=None,
            num_samples=case.one_of(1, 2, 3),
            noise=case.one_of(None, made.noise(2)),
            prior=case.one_of(None, made.prior),
        ),
    )
    case.check(out.shape[-2:] == (data.num_nodes, world.CLASSES), 'shape')
    bound = case.step(
        made.objective,
        case.arg(out),
        case.arg(data.y),
        **case.kwargs(
            mask=case.one_of(data.train_mask, torch.tensor([0]), None),
            num_labeled=case.one_of(None, 5),
            kl_scale=case.one_of(1.0, torch.ones(len(made.prior.pairs))),
        ),
    )
    if bound.loss.requires_grad:
        bound.loss.backward()
        for name, parameter in made.named_parameters():
            if parameter.grad is not None:
                grad = parameter.grad.to_dense()
                case.check(bool(grad.isfinite().all()), f'gradient of {name}')


@target('VariationalGraphLearner')
def subset(case: Case) -> None:
    data = world.graph(case, least=4)
    made = good_learner(case, data)
    some = torch.randperm(data.num_nodes)[:3]
    prior = case.call(made.prior.subset, some)
    out = case.call(
        made,
        world.features(case, data.x[some]),
        prior=case.arg(prior),
        num_samples=2,
    )
    case.step(made.objective, out, case.arg(data.y[some]), num_labeled=3)


@target('VariationalGraphLearner')
def predict(case: Case) -> None:
    data = world.graph(case)
    made = good_learner(case, data)
    prob = case.call(
        made.predict,
        world.features(case, data.x),
        **case.kwargs(
            num_samples=case.one_of(1, 3, 16),
            prior=case.one_of(None, made.prior),
            noise=case.one_of(None, made.noise(3)),
        ),
    )
    case.check_probs(prob)
    case.check(prob.shape == (data.num_nodes, world.CLASSES), 'shape')


@target('VariationalGraphLearner')
def noise(case: Case) -> None:
    data = world.graph(case)
    made = good_learner(case, data)
    drawn = case.call(
        made.noise,
        **case.kwargs(
            num_samples=case.one_of(1, 2, 4),
            generator=case.one_of(None, torch.Generator().manual_seed(1)),
            prior=case.one_of(None, made.prior),
        ),
    )
    out = case.call(made, data.x, noise=drawn)
    again = case.call(made, data.x, noise=drawn)
    case.check(torch.allclose(out, again), 'the same noise, the same output')


@target('VariationalGraphLearner')
def learned(case: Case) -> None:
    data = world.graph(case)
    made = good_learner(case, data)
    given = case.kwargs(prior=case.one_of(None, made.prior))
    x = world.features(case, data.x)
    prob = case.call(made.edge_probs, x, **given)
    inside = bool((prob >= 0).all() and (prob <= 1).all())
    case.check(inside, 'probabilities')
    graph = case.call(made.learned_graph, case.arg(0.5, 0, 1), x, **given)
    case.check_edges(graph.edge_index, data.num_nodes)


@target('VariationalGraphLearner')
def state(case: Case) -> None:
    data = world.graph(case)
    made = good_learner(case, data)
    case.call(made, data.x, num_samples=2)
    saved = {
        name: value.clone() if isinstance(value, torch.Tensor) else value
        for name, value in made.state_dict().items()
    }
    draws = case.call(made.noise, 2)
    before = case.call(made.predict, data.x, noise=draws)
    case.call(made.reset_parameters)
    case.call(made.predict, data.x, noise=draws)
    made.load_state_dict(saved)
    after = case.call(made.predict, data.x, noise=draws)
    case.check(torch.allclose(before, after, atol=1e-5), 'state_dict')


@target('SharedGraph')
def shared_graph(case: Case) -> None:
    data = world.graph(case)
    first = good_learner(case, data)
    second = case.call(
        vgcn.SharedGraph,
        case.arg(world.conv(case, world.CLASSES)),
        case.arg(first),
    )
    if case.maybe(0.9):
        hidden = case.call(first, data.x, num_samples=case.one_of(1, 2))
    else:
        hidden = torch.randn(data.num_nodes, world.CLASSES)
    out = case.call(second, case.arg(hidden))
    case.check(out.shape[-2:] == (data.num_nodes, world.CLASSES), 'shape')
    repr(second)


@target('FixedGraph')
def fixed_graph(case: Case) -> None:
    data = world.graph(case)
    made = case.call(
        vgcn.FixedGraph, case.arg(GCNConv(3, 2)), case.arg(data.edge_index)
    )
    out = case.call(made, world.features(case, data.x))
    case.step(
        made.objective,
        case.arg(out),
        case.arg(data.y),
        case.arg(data.train_mask, torch.tensor([0, 1])),
    )
    case.check_probs(case.call(made.predict, world.features(case, data.x)))


@target(
    'ConvCall',
    'EdgeWeights',
    'attributes_of',
    'no_attributes',
    'EdgeAttributes',
)
def calls(case: Case) -> None:
    data = world.graph(case)
    with case.right():
        prior, sampler = world.prior(case, data), world.sampler(case)
        conv = world.conv(case)
    sampler.check(prior)
    sample = sampler(prior, prior.logits, sampler.noise(prior, 2))
    if case.maybe(0.5):
        made = case.call(ConvCall, case.arg(conv), case.arg(sampler))
    else:
        made = case.call(ConvCall, case.arg(conv))
    attributes = no_attributes
    if case.maybe(0.2):
        attributes = case.call(
            attributes_of, case.arg(prior), None, case.arg(None)
        )
    out = case.call(
        made, conv, world.features(case, data.x), case.arg(sample), attributes
    )
    case.check(out.shape == (2, data.num_nodes, world.CLASSES), 'shape')
    repr(made)


@target('SparseDropout')
def sparse_dropout(case: Case) -> None:
    made = case.call(
        vgcn.message_passing.SparseDropout,
        **case.kwargs(p=case.one_of(0, 0.5)),
    )
    x = torch.rand(4, 3)
    x = case.one_of(x, x.to_sparse(), x.to_sparse_csr())
    x = case.arg(x)
    out = case.step(made, x)
    case.check(out.shape == x.shape, 'shape')
