"""The bound with latent labels, against exact enumeration of all graphs."""

import itertools

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch.nn.functional import log_softmax
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import (
    AllPairs,
    Bernoulli,
    Gaussian,
    SemiSupervisedELBO,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import BernoulliKL, Categorical
from torch_geometric_vgcn.prior import ConstantPrior, Prior
from torch_geometric_vgcn.sample import GraphSample

# The number of nodes, and how many graphs a probability of one stands for:
SIZES = [(3, 4), (4, 2), (5, 2)]


class World:
    r"""All graphs of a few nodes, random log-probabilities of their classes,
    and a posterior with probabilities of a few digits, so that a list of
    graphs has exactly its expectations.
    """

    def __init__(self, num_nodes, digits, generator):
        self.num_nodes, self.generator = num_nodes, generator
        pairs = AllPairs(num_nodes)
        count = torch.randint(1, digits, (len(pairs),), generator=generator)
        self.posterior = count.double() / digits
        self.prior = Prior(pairs, 2 * self.normal(len(pairs)))
        draws = [[1.0] * int(k) + [0.0] * (digits - int(k)) for k in count]
        self.graphs = torch.tensor(
            list(itertools.product(*draws)), dtype=torch.double
        )
        self.num_classes = int(self.random(2, 4))
        self.labelled = torch.rand(num_nodes, generator=generator) < 0.5
        self.y = torch.randint(
            self.num_classes, (num_nodes,), generator=generator
        )
        scale = [0.3, 2.0, 6.0][self.random(0, 3)]
        table = scale * self.normal(2 ** len(pairs), num_nodes, 3)
        self.table = table[..., : self.num_classes]

    def random(self, low, high):
        return int(torch.randint(low, high, (), generator=self.generator))

    def normal(self, *shape):
        return torch.randn(
            *shape, dtype=torch.double, generator=self.generator
        )

    def out(self, graphs):
        r"""The outputs of an arbitrary network on some graphs."""
        place = 2 ** torch.arange(graphs.size(1))
        return self.table[graphs.long() @ place]

    @property
    def sample(self):
        return GraphSample(self.prior, self.posterior.logit(), self.graphs)

    def evidence(self):
        r"""The log-probability of the labels, summed over all graphs."""
        size = self.graphs.size(1)
        graphs = torch.tensor(list(itertools.product([0.0, 1.0], repeat=size)))
        prob = self.prior.probs
        weight = torch.where(graphs > 0, prob, 1 - prob).log().sum(dim=1)
        log_prob = log_softmax(self.out(graphs), dim=-1)
        index = self.y[self.labelled]
        chosen = log_prob[:, self.labelled].gather(
            -1, index.expand(len(graphs), -1).unsqueeze(-1)
        )
        return (weight + chosen.sum(dim=(1, 2))).logsumexp(dim=0)

    def bound(self, objective, out=None):
        return objective.double().of_nodes(
            Categorical(),
            self.out(self.graphs) if out is None else out,
            self.y,
            self.labelled,
            self.sample,
        )


def objective_of(world, **options):
    share = torch.rand(world.num_classes, generator=world.generator) + 0.05
    return with_shares(share, **options)


@pytest.mark.parametrize('num_nodes, digits', SIZES)
@given(
    seed=st.integers(0, 2**32),
    weight=st.floats(0, 20),
    temperature=st.floats(0.01, 1),
    beta=st.floats(1, 10),
)
def test_it_is_a_lower_bound(
    num_nodes, digits, seed, weight, temperature, beta
):
    generator = torch.Generator().manual_seed(seed)
    for _ in range({3: 30, 4: 10, 5: 2}[num_nodes]):
        world = World(num_nodes, digits, generator)
        objective = objective_of(
            world, weight=weight, temperature=temperature, beta=beta
        )
        got = world.bound(objective)
        assert got.bound <= world.evidence() + 1e-9
        assert got.agreement <= 1e-9


def test_a_smaller_beta_is_no_bound():
    # The network knows the label on a graph that only the posterior prefers.
    prior = ConstantPrior(AllPairs(2), rho=0.01).double()
    logits, edge = torch.full((1,), 40.0), torch.ones(1, 1)
    sample = GraphSample(prior, logits.double(), edge.double())
    out = torch.tensor([[[9.0, 0.0], [0.0, 0.0]]]).double()
    y, mask = torch.zeros(2, dtype=torch.long), torch.tensor([True, False])
    bounds = [
        SemiSupervisedELBO(BernoulliKL(), beta, warmup=0)
        .double()
        .of_nodes(Categorical(), out, y, mask, sample)
        .bound
        for beta in (0.01, 1.0)
    ]
    evidence = torch.tensor(0.01 + 0.99 / 2).log()
    assert bounds[1] <= evidence < bounds[0]


def targets_of(world, objective):
    r"""The targets :math:`q(y_n)` of nodes without a label, which are what
    the gradient compares the class probabilities with.
    """
    out = world.out(world.graphs).requires_grad_()
    world.bound(objective, out).agreement.backward()
    unknown = ~world.labelled
    weight = objective.weight * (~unknown).sum() / unknown.sum()
    target = out.grad * len(out) / weight + out.detach().softmax(dim=-1)
    target = target[:, unknown]
    torch.testing.assert_close(target, target[:1].expand_as(target))
    return target[0]


def some_labelled(seed, scale=1.0):
    world = World(4, 2, torch.Generator().manual_seed(seed))
    world.labelled[:] = torch.tensor([True, False, False, False])
    world.table *= scale
    return world


def value(target, mean, temperature):
    entropy = torch.special.entr(target).sum()
    return ((target * mean).sum() + temperature * entropy) / 3


@given(seed=st.integers(0, 2**32), temperature=st.floats(0.2, 1))
def test_no_other_target_with_the_same_shares_gives_more(seed, temperature):
    world = some_labelled(seed)
    objective = objective_of(world, temperature=temperature)
    target = targets_of(world, objective)
    mean = log_softmax(world.out(world.graphs), dim=-1).mean(dim=0)[1:]
    best = value(target, mean, temperature)
    torch.testing.assert_close(best, world.bound(objective).agreement)
    for _ in range(20):
        other = with_the_same_shares(target, world.generator)
        assert value(other, mean, temperature) <= best + 1e-9


def with_the_same_shares(target, generator):
    r"""Other targets with the same sums of rows and of columns."""
    (i, j, *_) = torch.randperm(target.size(0), generator=generator)
    (c, d, *_) = torch.randperm(target.size(1), generator=generator)
    most = torch.minimum(target[i, c], target[j, d])
    step = most * torch.rand((), generator=generator)
    out = target.clone()
    out[[i, j], [c, d]] -= step
    out[[i, j], [d, c]] += step
    return out


@given(
    seed=st.integers(0, 2**32),
    temperature=st.floats(0.1, 1),
    scale=st.floats(0.1, 1),
)
def test_targets_lean_towards_the_shares_of_classes(seed, temperature, scale):
    # How far a step of iterative proportional fitting moves them depends on
    # the predictions, but never away, and it stops at the right shares.
    world = some_labelled(seed, scale)
    objective = objective_of(world, temperature=temperature)
    wanted = objective.class_share.double()
    score = log_softmax(world.out(world.graphs), dim=-1).mean(dim=0)[1:]
    before = (score / temperature).softmax(dim=-1)
    assume(before.mean(dim=0).min() > 1e-6)
    after = targets_of(world, objective)
    expected = before * wanted / before.mean(dim=0)
    torch.testing.assert_close(
        after, expected / expected.sum(dim=-1, keepdim=True)
    )
    far, near = (
        (wanted * (wanted / target.mean(dim=0)).log()).sum()
        for target in (before, after)
    )
    assert near <= far + 1e-9
    objective = with_shares(before.mean(dim=0), temperature=temperature)
    torch.testing.assert_close(targets_of(world, objective), before)


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('temperature', [0.5, 1.0])
def test_gradient(seed, temperature):
    # The targets have none. Where classes have the right shares, they are the
    # best of all targets, and it is the whole gradient.
    world = some_labelled(seed, scale=0.1)
    out = world.out(world.graphs)
    score = log_softmax(out, dim=-1).mean(dim=0)[1:] / temperature
    share = score.softmax(dim=-1).mean(dim=0)
    objective = with_shares(share, temperature=temperature, weight=3.0)
    assert torch.autograd.gradcheck(
        lambda out: world.bound(objective, out).bound,
        out.requires_grad_(),
        fast_mode=True,
    )


def with_shares(share, **options):
    return SemiSupervisedELBO(
        BernoulliKL(), class_share=share, warmup=0, **options
    )


def test_nothing_is_lost_if_graphs_agree():
    world = some_labelled(0)
    world.table = world.table[:1].expand_as(world.table)
    share = world.out(world.graphs)[0, 1:].softmax(dim=-1).mean(dim=0)
    objective = SemiSupervisedELBO(
        BernoulliKL(), temperature=1.0, class_share=share, warmup=0
    )
    assert abs(world.bound(objective).agreement) < 1e-6
    world = some_labelled(0)  # graphs that disagree
    assert world.bound(objective).agreement < -0.01


def test_parts_add_up_with_labels_of_a_batch():
    world = World(4, 2, torch.Generator().manual_seed(1))
    objective = objective_of(world, beta=0.3)
    got = objective.double().of_nodes(
        Categorical(),
        world.out(world.graphs),
        world.y,
        world.labelled,
        world.sample,
        num_labeled=10,
        kl_scale=2.0,
    )
    parts = got.log_likelihood + got.agreement - 0.3 * got.kl
    torch.testing.assert_close(parts, got.bound)
    torch.testing.assert_close(got.loss, -got.bound / 10)
    assert got.agreement < 0


def test_the_score_function_sees_nodes_without_a_label():
    r"""Discrete graphs get the gradient of the whole bound: compared with the
    exact one, over many samples.
    """
    world = some_labelled(3)
    objective = objective_of(world, weight=2.0).double()
    logits = world.posterior.logit().requires_grad_()
    graphs, prob = world.graphs.unique(dim=0), logits.sigmoid()
    log_q = torch.where(graphs > 0, prob, 1 - prob).log().sum(dim=1)
    out = world.out(graphs)
    target = targets_of(world, objective)
    log_prob = log_softmax(out, dim=-1)
    each = log_prob[:, 0, world.y[0]]
    each = each + 2 / 3 * (target * log_prob[:, 1:]).sum(dim=(1, 2))
    (exact,) = torch.autograd.grad((log_q.exp() * each).sum(), logits)

    torch.manual_seed(0)
    sampler, logits = Bernoulli(), logits.detach().requires_grad_()
    noise = sampler.noise(world.prior, 20_000)
    sample = sampler(world.prior, logits, noise)
    free = SemiSupervisedELBO(
        BernoulliKL(), 0.0, 2.0, objective.temperature, 0,
        objective.class_share,
    )  # fmt: skip
    bound = (
        free.double()
        .of_nodes(
            Categorical(),
            world.out(sample.weight),
            world.y,
            world.labelled,
            sample,
        )
        .bound
    )
    (found,) = torch.autograd.grad(bound, logits)
    torch.testing.assert_close(found, exact, atol=0.03, rtol=0.1)


@pytest.fixture
def learner(graph):
    return VariationalGraphLearner(GCNConv(3, 2), SmoothedPrior(graph, 6, 0.5))


def step(learner, mask=(True, False, False, False, False, True)):
    y, mask = torch.tensor([0, 0, 0, 1, 1, 1]), torch.tensor(mask)
    out = learner(torch.randn(6, 3), num_samples=2)
    return learner.objective(out, y, mask)


def test_it_is_the_default_where_labels_are_classes(learner):
    assert isinstance(learner.criterion, SemiSupervisedELBO)
    got = step(learner)
    assert got.agreement < 0
    got.loss.backward()
    assert not learner.criterion.warmup_done


def test_agreement_grows_over_the_warmup(learner):
    objective = SemiSupervisedELBO(BernoulliKL(), warmup=4)
    out, y = torch.randn(2, 6, 2, requires_grad=True), torch.arange(6) % 2
    mask = torch.arange(6) < 2
    values = []
    for _ in range(6):
        got = objective.of_nodes(Categorical(), out, y, mask, None)
        values.append(float(got.agreement.detach()))
        assert objective.warmup_done == (len(values) > 4 or len(values) == 1)
        got.loss.backward()
    whole = values[-1]
    assert values == pytest.approx(
        [s * whole for s in (0.25, 0.5, 0.75, 1, 1, 1)]
    )


def test_only_training_steps_count(learner):
    step(learner)
    learner.eval()
    step(learner).loss.backward()
    assert float(learner.criterion.step) == 0
    learner.train()
    step(learner).loss.backward()
    assert float(learner.criterion.step) == 1
    learner.reset_parameters()
    assert float(learner.criterion.step) == 0


def test_what_it_knows_is_saved(learner, graph):
    step(learner).loss.backward()
    prior = SmoothedPrior(graph, 6, 0.5)
    other = VariationalGraphLearner(GCNConv(3, 2), prior)
    other.load_state_dict(learner.state_dict())
    assert torch.equal(other.edge_probs(), learner.edge_probs())
    assert not torch.equal(other.edge_probs(), prior.probs)
    for name, value in learner.state_dict().items():
        if isinstance(value, torch.Tensor):
            assert torch.equal(other.state_dict()[name], value), name


def test_refused(graph):
    prior = SmoothedPrior(graph, 6)
    with pytest.raises(ValueError, match="'objective' .* Gaussian"):
        VariationalGraphLearner(
            GCNConv(3, 2),
            prior,
            objective=SemiSupervisedELBO(BernoulliKL()),
            likelihood=Gaussian(),
        )
    for value in (0.0, 1.5, float('nan')):
        with pytest.raises(ValueError, match="'temperature'"):
            SemiSupervisedELBO(BernoulliKL(), temperature=value)
    for share in ([0.5, 0.0], [1.0], [[0.5, 0.5]], [float('nan'), 1.0]):
        with pytest.raises(ValueError, match="'class_share'"):
            SemiSupervisedELBO(BernoulliKL(), class_share=torch.tensor(share))
    objective = SemiSupervisedELBO(BernoulliKL(), class_share=torch.ones(3))
    learner = VariationalGraphLearner(
        GCNConv(3, 2), prior, objective=objective
    )
    with pytest.raises(ValueError, match='3'):
        step(learner)
