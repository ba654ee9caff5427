import copy
import itertools
import math

import pytest
import torch
from sklearn.metrics import roc_auc_score
from torch_geometric.data import Data
from torch_geometric.nn import GCN, GCNConv
from torch_geometric.utils import (
    erdos_renyi_graph,
    stochastic_blockmodel_graph,
)

from torch_geometric_vgcn import (
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.pairs import AllPairs, Candidates, ClusterPairs
from torch_geometric_vgcn.posterior import ClassPosterior
from torch_geometric_vgcn.prior import SmoothedPrior

X = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 0, 1, 1, 2, -1])
LABELLED = torch.tensor([0, 4])


@pytest.fixture(params=['all pairs', 'candidates', 'clusters'])
def prior(request, graph):
    if request.param == 'clusters':
        pairs = ClusterPairs(torch.tensor([0, 0, 0, 1, 1, 1]))
        graph = graph[:, pairs.joins(graph)]
    else:
        pairs = AllPairs(6) if request.param == 'all pairs' else None
    return SmoothedPrior(graph, 6, pairs=pairs)


def start(prior, **options):
    posterior = ClassPosterior(3, **options)
    posterior.initialize_from(prior)
    return posterior


def observed(prior, **options):
    r"""A posterior that has seen some outputs and labels."""
    posterior = start(prior, **options)
    torch.manual_seed(1)
    for _ in range(3):
        posterior.observe(2 * torch.randn(2, 6, 3), Y, LABELLED, prior)
    return posterior


@pytest.mark.parametrize('homophily', [0.3, 0.8])
def test_logits_are_those_of_the_formula(prior, homophily):
    prior = prior.double()
    posterior = observed(prior, homophily=homophily, shrinkage=float('inf'))
    prob, h = posterior.prob.tolist(), homophily
    share = [sum(p[c] for p in prob) / 6 for c in range(3)]
    chance = sum(p**2 for p in share)
    expected = []
    pairs = zip(
        prior.pairs.index.t().tolist(), prior.logits.tolist(), strict=True
    )
    for (i, j), logit in pairs:
        same = sum(p * q for p, q in zip(prob[i], prob[j], strict=True))
        ratio = h * same / chance + (1 - h) * (1 - same) / (1 - chance)
        expected.append(logit + math.log(ratio))
    torch.testing.assert_close(
        posterior(prior), torch.tensor(expected).double()
    )


@pytest.mark.parametrize('shrinkage', [0.5, 100.0])
def test_mixing_is_that_of_the_edges(prior, shrinkage):
    prior = prior.double()
    posterior = observed(prior, shrinkage=shrinkage)
    # One more step, from what is known now, by loops over edges and classes:
    posterior.momentum = 0.0
    edge = posterior(prior).sigmoid().tolist()
    prob = posterior.prob.tolist()
    share = [sum(p[c] for p in prob) / 6 for c in range(3)]
    chance, classes = sum(p**2 for p in share), range(3)
    joint = torch.zeros(3, 3).double()
    for c, d in itertools.product(classes, classes):
        assumed = 0.9 / chance if c == d else 0.1 / (1 - chance)
        joint[c, d] = shrinkage * share[c] * share[d] * assumed
        for (i, j), q in zip(
            prior.pairs.index.t().tolist(), edge, strict=True
        ):
            both = prob[i][c] * prob[j][d] + prob[j][c] * prob[i][d]
            joint[c, d] += q * both / 2
    share = torch.tensor(share).double()
    expected = joint / joint.sum() / torch.outer(share, share)
    known = torch.tensor([0, 4])
    posterior.observe(torch.zeros(1, 6, 3), Y, known, prior)
    torch.testing.assert_close(posterior.mixing, expected)
    # Two random nodes have an edge as often as by chance, and the term is
    # symmetric in its nodes:
    chance = share @ posterior.mixing @ share
    torch.testing.assert_close(chance, torch.ones_like(chance))
    torch.testing.assert_close(posterior.mixing, posterior.mixing.t())


def test_edges_between_different_classes_speak_for_each_other():
    # A bipartite graph of two classes, of which half of the nodes are known.
    i, j = torch.arange(40), torch.arange(40, 80)
    index = torch.stack([i.repeat_interleave(10), torch.cat([
        j.roll(k)[:, None] for k in range(10)], dim=1).flatten()])  # fmt: skip
    prior = SmoothedPrior(index, 80, rho1=0.5)
    posterior, y = (
        ClassPosterior(shrinkage=10.0),
        (torch.arange(80) >= 40).long(),
    )
    posterior.initialize_from(prior)
    for _ in range(5):
        posterior.observe(
            torch.zeros(1, 80, 2), y, torch.arange(0, 80, 2), prior
        )
    known = (prior.pairs.index % 2 == 0).all(dim=0)
    assert (posterior(prior)[known] > prior.logits[known]).all()
    fixed = ClassPosterior(shrinkage=float('inf'))
    fixed.initialize_from(prior)
    fixed.observe(torch.zeros(1, 80, 2), y, torch.arange(0, 80, 2), prior)
    assert (fixed(prior)[known] < prior.logits[known]).all()


def test_the_number_of_classes_is_that_of_the_network(prior):
    posterior = ClassPosterior()
    posterior.initialize_from(prior)
    assert torch.equal(posterior(prior), prior.logits)
    posterior.check_outputs(5)  # not known yet
    posterior.observe(torch.randn(1, 6, 3), Y, LABELLED, prior)
    assert posterior.prob.shape == (6, 3)
    with pytest.raises(ValueError, match="'num_classes'"):
        posterior.check_outputs(5)
    other = ClassPosterior()
    other.initialize_from(prior)
    other.load_state_dict(posterior.state_dict())
    assert torch.equal(other(prior), posterior(prior))


@pytest.mark.parametrize('homophily', [0.0, 1.0])
@pytest.mark.parametrize('one_class', [True, False])
def test_logits_are_finite_where_all_is_known(prior, homophily, one_class):
    posterior = start(prior, homophily=homophily)
    y = torch.zeros(6).long() if one_class else torch.arange(6) % 3
    posterior.observe(torch.randn(1, 6, 3), y, None, prior)
    assert posterior(prior).isfinite().all()


def test_classes_are_a_running_mean_and_labels_override_it(prior):
    posterior = start(prior, momentum=0.25)
    expected = torch.full((6, 3), 1 / 3)
    for _ in range(4):
        out = torch.randn(2, 6, 3)
        posterior.observe(out, Y, LABELLED, prior)
        new = (out[0].softmax(dim=-1) + out[1].softmax(dim=-1)) / 2
        expected = 0.75 * expected + 0.25 * new
        expected[0] = torch.tensor([1.0, 0.0, 0.0])
        expected[4] = torch.tensor([0.0, 0.0, 1.0])
        torch.testing.assert_close(posterior.prob, expected)


def test_a_batch_changes_the_classes_of_its_nodes(prior):
    whole = observed(prior)
    part_of_it = copy.deepcopy(whole)
    nodes = torch.tensor([5, 3, 4, 0])
    before = whole.prob.clone()
    out = torch.randn(2, 6, 3)
    whole.observe(out, Y, LABELLED, prior)
    part = prior.subset(nodes)
    inside = torch.isin(nodes, LABELLED)
    part_of_it.observe(out[:, nodes], Y[nodes], inside, part)
    others = torch.tensor([1, 2])
    assert torch.equal(part_of_it.prob[nodes], whole.prob[nodes])
    assert torch.equal(part_of_it.prob[others], before[others])
    # A subset of a subset is one of the whole:
    again = copy.deepcopy(part_of_it)
    smaller = part.subset(torch.tensor([2, 0]))  # nodes 4 and 5
    again.observe(out[:, [4, 5]], Y[[4, 5]], torch.tensor([0]), smaller)
    changed = (again.prob != part_of_it.prob).any(dim=1)
    assert changed.nonzero().view(-1).tolist() == [5]  # 4 has its label


def test_a_learner_may_be_of_a_subset(graph):
    part = SmoothedPrior(graph, 6).subset(torch.tensor([5, 3, 4]))
    learner = VariationalGraphLearner(GCNConv(4, 3), part, ClassPosterior(3))
    torch.testing.assert_close(learner.posterior(part), part.logits)
    out = learner(X[:3], num_samples=2)
    learner.objective(out, torch.tensor([0, 1, 2])).loss.backward()
    known = learner.posterior.prob.max(dim=1).values == 1
    assert known.nonzero().view(-1).tolist() == [3, 4, 5]


def test_all_pairs_and_candidates_agree(graph):
    dense = SmoothedPrior(graph, 6, pairs=AllPairs(6))
    every = Candidates(dense.pairs.index, 6)
    sparse = SmoothedPrior(graph, 6, pairs=every)
    first, second = observed(dense), observed(sparse)
    assert torch.equal(first.prob, second.prob)
    torch.testing.assert_close(first(dense), second(sparse))


def learner_of(prior, posterior=None, conv=None):
    torch.manual_seed(0)
    return VariationalGraphLearner(
        conv or GCNConv(4, 3), prior, posterior or ClassPosterior(3)
    )


def test_only_training_changes_it(prior):
    learner = learner_of(prior)
    before = learner.posterior.prob.clone()

    def call():
        bound = learner.objective(learner(X, num_samples=2), Y, LABELLED)
        learner.predict(X)
        learner.edge_probs(X)
        learner.learned_graph()
        return bound

    learner.eval()
    call().loss.backward()
    learner.train()
    with torch.no_grad():
        call()
    learner(X)
    loss = call().loss
    assert torch.equal(learner.posterior.prob, before)
    loss.backward()
    assert not torch.equal(learner.posterior.prob, before)
    assert learner.posterior.prob[0].tolist() == [1, 0, 0]
    learner.reset_parameters()
    assert torch.equal(learner.posterior.prob, before)


def test_it_finds_the_edges_inside_planted_classes():
    y = torch.arange(90) // 30
    true = stochastic_blockmodel_graph([30] * 3, 0.15 * torch.eye(3))
    true = true[:, true[0] < true[1]]
    other = erdos_renyi_graph(90, 0.05)
    other = other[:, other[0] < other[1]]
    other = other[:, torch.randperm(other.size(1))[: true.size(1)]]
    edge_index = torch.cat([true, other], dim=1)
    edge_index = torch.cat([edge_index, edge_index.flip(0)], dim=1)
    train = torch.zeros(90).bool()
    train[torch.arange(0, 90, 3)] = True
    x = torch.randn(90, 8)
    x[torch.arange(90), y] += 1.5
    data = Data(
        x=x,
        edge_index=edge_index,
        y=y,
        train_mask=train,
        val_mask=(torch.arange(90) % 3 == 1),
    )
    prior = SmoothedPrior(edge_index, 90, rho1=0.5)
    learner = VariationalGraphLearner(
        GCN(8, 16, 2, 3, dropout=0.5), prior, ClassPosterior(3)
    )
    inside = prior.pairs.contains(true)
    fit(learner, data, epochs=60, patience=60, progress=False)
    auc = [
        roc_auc_score(inside.numpy(), prob.detach().numpy())
        for prob in (prior.probs, learner.edge_probs())
    ]
    assert auc[0] == 0.5
    assert auc[1] > 0.75, auc


@pytest.mark.parametrize('momentum', [0.1, 0.5])
def test_a_number_of_classes_that_is_found_is_as_one_that_is_given(
    prior, momentum
):
    given = observed(prior, momentum=momentum)
    found = ClassPosterior(momentum=momentum)
    found.initialize_from(prior)
    torch.manual_seed(1)
    for _ in range(3):
        found.observe(2 * torch.randn(2, 6, 3), Y, LABELLED, prior)
    assert torch.equal(found(prior), given(prior))
    given.load_state_dict(found.state_dict())
    assert torch.equal(found(prior), given(prior))


def test_batches_of_one_class_tell_the_mixing_of_all():
    # Four clusters, each of one class, and three of four edges inside them:
    y = torch.arange(80) // 20
    inside = stochastic_blockmodel_graph([20] * 4, 0.3 * torch.eye(4))
    others = erdos_renyi_graph(80, 0.025)
    index = torch.cat([inside, others], dim=1)
    prior = SmoothedPrior(index, 80, rho1=0.99)
    whole, parts = ClassPosterior(4), ClassPosterior(4)
    whole.initialize_from(prior)
    parts.initialize_from(prior)
    for _ in range(30):
        whole.observe(torch.zeros(1, 80, 4), y, None, prior)
        for c in range(4):
            nodes = torch.cat([(y == c).nonzero(), torch.randint(80, (9, 1))])
            nodes = nodes.view(-1).unique()
            part = prior.subset(nodes)
            out = torch.zeros(1, len(nodes), 4)
            parts.observe(out, y[nodes], None, part)
    got, expected = parts.mixing.diagonal(), whole.mixing.diagonal()
    # Not one class far ahead of the others, whichever came last:
    assert (got.log() - expected.log()).abs().max() < 0.35
