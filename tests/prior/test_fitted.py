import pytest
import torch
from sklearn.metrics import roc_auc_score
from torch.nn.functional import one_hot
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn import SmoothedPrior
from torch_geometric_vgcn.prior import FittedPrior

N, C = 1200, 4


def planted(right, homophily=0.9, noise=1.0, seed=0):
    r"""A graph in which a share of the edges is right, evidence that knows
    which (with noise), and a classifier that errs at random.
    """
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(C, (N,), generator=g)
    by_class = [(y == c).nonzero().view(-1) for c in range(C)]
    source = torch.randint(N, (6000,), generator=g)
    target = torch.randint(N, (6000,), generator=g)
    is_right = torch.rand(6000, generator=g) < right
    # Of the right edges, a share ends in the same class, the rest in others:
    inside = torch.rand(6000, generator=g) < homophily
    for edge in is_right.nonzero().view(-1).tolist():
        c = int(y[source[edge]])
        if not inside[edge]:
            c = (c + int(torch.randint(1, C, (), generator=g))) % C
        place = torch.randint(by_class[c].numel(), (), generator=g)
        target[edge] = by_class[c][place]
    loop = source == target
    edges = torch.stack([source, target])[:, ~loop]
    true = to_undirected(edges[:, is_right[~loop]], num_nodes=N)
    prior = SmoothedPrior(to_undirected(edges, num_nodes=N), N)
    truth = prior.pairs.contains(true)
    evidence = truth.float() + noise * torch.randn(truth.numel(), generator=g)
    wrong = torch.rand(N, generator=g) < 0.3
    said = torch.where(wrong, torch.randint(C, (N,), generator=g), y)
    prob = 0.7 * one_hot(said, C) + 0.3 / C
    node = torch.randperm(N, generator=g)
    return prior, truth, evidence, prob, y, node[:200], node[200:600]


@pytest.mark.parametrize('right', [0.1, 0.5, 0.9])
def test_it_finds_how_many_edges_are_right(right):
    prior, truth, evidence, *rest = planted(right)
    probs = FittedPrior(prior, [evidence], *rest).probs
    share = float(truth.float().mean())
    assert float(probs.mean()) == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize('right', [0.3, 0.6])
def test_its_probabilities_are_calibrated(right):
    prior, truth, evidence, *rest = planted(right)
    probs = FittedPrior(prior, [evidence], *rest).probs
    for low in (0.0, 0.25, 0.5, 0.75):
        some = (probs >= low) & (probs < low + 0.25)
        if some.sum() > 300:
            share = float(truth[some].float().mean())
            assert float(probs[some].mean()) == pytest.approx(share, abs=0.12)


def test_evidence_weighs_as_much_as_it_tells():
    prior, truth, evidence, *rest = planted(0.5)
    chance = torch.randn(evidence.shape)
    fitted = FittedPrior(prior, [chance, evidence], *rest)
    assert fitted.weight[1] > 5 * abs(fitted.weight[0])
    alone = FittedPrior(prior, [evidence], *rest)
    torch.testing.assert_close(fitted.probs, alone.probs, rtol=0, atol=0.2)
    assert roc_auc_score(truth, fitted.probs) > 0.7


def test_units_of_evidence_play_no_part():
    prior, _, evidence, *rest = planted(0.5)
    one = FittedPrior(prior, [evidence], *rest)
    other = FittedPrior(prior, [-100 * evidence + 7], *rest)
    torch.testing.assert_close(one.probs, other.probs, rtol=0, atol=1e-3)
    flat = FittedPrior(prior, [torch.full_like(evidence, 3.0)], *rest)
    assert flat.probs.std() < 1e-6


def test_the_other_priors_logits_play_no_part():
    prior, _, evidence, *rest = planted(0.5)
    trusting = SmoothedPrior(prior.edge_index, N, rho1=0.99, rho0=1e-6)
    fitted = FittedPrior(trusting, [evidence], *rest)
    expected = FittedPrior(prior, [evidence], *rest)
    assert torch.equal(fitted.logits, expected.logits)
    assert fitted.background == trusting.background
    assert torch.equal(fitted.edge_index, trusting.edge_index)
    assert 'bias=' in repr(fitted) and 'weight=(' in repr(fitted)


def test_labels_of_other_nodes_are_not_looked_at():
    prior, _, evidence, prob, y, train, val = planted(0.5)
    known = torch.cat([train, val])
    hidden = torch.full_like(y, -1)
    hidden[known] = y[known]
    one = FittedPrior(prior, [evidence], prob, y, train, val)
    other = FittedPrior(prior, [evidence], prob, hidden, train, val)
    assert torch.equal(one.logits, other.logits)


@pytest.mark.parametrize(
    ('change', 'error', 'message'),
    [
        ({'evidence': []}, ValueError, "'evidence' must hold at least one"),
        ({'evidence': torch.ones(3)}, TypeError, "'evidence' must be a list"),
        ({'evidence': [torch.ones(3)]}, ValueError, r"'evidence\[0\]'"),
        ({'prob': torch.ones(N, C)}, ValueError, "'prob' must sum to 1"),
        ({'prob': torch.full((5, C), 1 / C)}, ValueError, 'one row for each'),
        ({'prob': torch.full((N, C), 1 / C)}, ValueError, 'tell the classes'),
        ({'val_mask': torch.zeros(N).bool()}, ValueError, "'val_mask'"),
        ({'train_mask': torch.arange(N)}, ValueError, "outside 'train_mask'"),
        ({'homophily': 0.1}, ValueError, "'homophily' must be above 0.2"),
        ({'homophily': 2.0}, ValueError, "'homophily'"),
        ({'caution': 'much'}, TypeError, "'caution'"),
        ({'caution': float('nan')}, ValueError, "'caution'"),
        ({'prior': None}, TypeError, "'prior'"),
    ],
)
def test_inputs_that_make_no_sense(change, error, message):
    prior, _, evidence, prob, y, train, val = planted(0.5)
    given = {
        'prior': prior, 'evidence': [evidence], 'prob': prob, 'y': y,
        'train_mask': train, 'val_mask': val,
    }  # fmt: skip
    with pytest.raises(error, match=message):
        FittedPrior(**{**given, **change})


def test_false_edges_at_training_nodes_are_seen():
    r"""Metattack aims at nodes with a label, of which the classifier itself
    is too sure: their labels must speak.
    """
    prior, _, _, prob, y, train, val = planted(1.0)
    g = torch.Generator().manual_seed(1)
    ends = train[torch.randint(train.numel(), (3000,), generator=g)]
    others = torch.randint(N, (3000,), generator=g)
    false = torch.stack([ends, others])[:, ends != others]
    edges = torch.cat([prior.edge_index, false, false.flip(0)], dim=1)
    attacked = SmoothedPrior(edges, N)
    truth = attacked.pairs.contains(prior.edge_index)
    evidence = truth.float() + torch.randn(truth.numel(), generator=g)
    prob[train] = one_hot(y[train], C).float()  # never wrong, by heart
    fitted = FittedPrior(attacked, [evidence], prob, y, train, val)
    share = float(truth.float().mean())
    assert float(fitted.probs.mean()) == pytest.approx(share, abs=0.1)
    assert fitted.weight[0] > 0.5


def test_two_labels_are_enough():
    r"""Where all classes are known, no classifier is asked."""
    prior, truth, evidence, prob, y, train, val = planted(0.5)
    rest = torch.arange(N)[~torch.isin(torch.arange(N), val)]
    fitted = FittedPrior(prior, [evidence], prob, y, rest, val)
    other = prob.clone()
    other[rest] = 1 / C
    again = FittedPrior(prior, [evidence], other, y, rest, val)
    torch.testing.assert_close(fitted.logits, again.logits)
    assert roc_auc_score(truth, fitted.probs) > 0.7


def test_a_classifier_may_be_unsure():
    r"""How sure it is plays no part, if it is right more often than not."""
    prior, truth, evidence, prob, y, train, val = planted(0.5)
    unsure = 0.02 * prob + 0.98 / C
    sure = FittedPrior(prior, [evidence], prob, y, train, val)
    fitted = FittedPrior(prior, [evidence], unsure, y, train, val)
    torch.testing.assert_close(fitted.probs, sure.probs, rtol=0, atol=0.02)


def test_caution_takes_logits_off():
    prior, _, evidence, *rest = planted(0.5)
    sure = FittedPrior(prior, [evidence], *rest)
    cautious = FittedPrior(prior, [evidence], *rest, caution=3.0)
    torch.testing.assert_close(cautious.logits, sure.logits - 3)
    assert 'caution=3' in repr(cautious) and 'caution' not in repr(sure)
