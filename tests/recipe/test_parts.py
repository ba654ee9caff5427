"""Parts of members that users replace by keyword."""

import pytest
import torch
from torch.nn import Linear

import torch_geometric_vgcn.recipe as recipe
from torch_geometric_vgcn import (
    ELBO,
    LowRankPosterior,
    SemiSupervisedELBO,
    SmoothedPrior,
)
from torch_geometric_vgcn.objective import IWELBO, BernoulliKL
from torch_geometric_vgcn.recipe import Effort

ONCE = Effort(2, 2, warmup=1, folds=2, runs=1, num_samples=2)


def believed(task, edge_index):
    return SmoothedPrior(edge_index, task.num_nodes, rho1=0.7)


def of_rank_2():
    return LowRankPosterior(rank=2)


def learners(model):
    """Of the members with a learned graph."""
    runs = {name: model.learners_[name] for name in ('near', 'given')}
    return [learner for listed in runs.values() for learner in listed]


def test_the_prior_is_that_of_all_learned_members(blocks, model_of):
    model = model_of(blocks, effort=ONCE, prior=believed).fit()
    for learner in learners(model):
        assert isinstance(learner.prior, SmoothedPrior)
        assert learner.prior.rho1 == 0.7
    assert 'prior=believed' in repr(model)
    known = model.edges()
    assert known.prior.max() > 0


@pytest.mark.parametrize('posterior', [LowRankPosterior(rank=2), of_rank_2])
def test_each_learner_has_a_posterior_of_its_own(blocks, model_of, posterior):
    model = model_of(blocks, effort=ONCE, posterior=posterior).fit()
    found = [learner.posterior for learner in learners(model)]
    assert all(isinstance(part, LowRankPosterior) for part in found)
    assert len(set(map(id, [posterior, *found]))) == len(found) + 1
    assert 'posterior=' in repr(model)
    if posterior is not of_rank_2:  # which stays as it is
        assert not any(p.numel() for p in posterior.parameters())


def tight(kl):
    return SemiSupervisedELBO(kl, beta=1.0)


@pytest.mark.parametrize('objective', [ELBO, IWELBO, tight])
def test_the_objective_is_that_of_all_members(blocks, model_of, objective):
    parts = {'prior': believed, 'posterior': of_rank_2, 'objective': objective}
    model = model_of(blocks, effort=ONCE, **parts).fit()
    kind = SemiSupervisedELBO if objective is tight else objective
    for runs in model.learners_.values():
        assert all(type(learner.criterion) is kind for learner in runs)
        if objective is tight:
            assert all(learner.criterion.beta == 1 for learner in runs)
    known = {part.__name__: part for part in parts.values()}
    again = eval(repr(model), vars(recipe) | known | {'data': blocks})
    assert again.fit().predict().equal(model.predict())  # pasted back


def number(*args):
    return 3


def of_two_nodes(task, edge_index):
    return SmoothedPrior([(0, 1)], 2)


BAD = [
    ({'prior': 0.5}, "'prior' must be callable.*float"),
    ({'prior': number}, r"'prior\(task, edge_index\)' must be a Prior.*int"),
    ({'prior': of_two_nodes}, r"'prior\(task, edge_index\)'.*60 nodes.*2"),
    ({'posterior': 'free'}, "'posterior' must be callable.*str"),
    ({'posterior': number}, r"'posterior\(\)' must be a Posterior.*int"),
    ({'network': Linear(2, 2)}, "'network'.*function.*a Linear"),
    ({'objective': ELBO(BernoulliKL())}, "'objective'.*function.*a ELBO"),
    ({'objective': number}, r"'objective\(kl\)' must be a Objective.*int"),
    ({'network': number}, r"'network\(task\)' must be a Module.*int"),
]


@pytest.mark.parametrize(('part', 'match'), BAD)
def test_bad_parts_are_named_before_anything_is_trained(
    blocks, model_of, part, match
):
    before = torch.get_rng_state()
    with pytest.raises(ValueError if '60' in match else TypeError) as e:
        model_of(blocks, effort=ONCE, **part)
    assert e.match(match)
    assert torch.get_rng_state().equal(before)
