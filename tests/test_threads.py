"""One learner, several threads: a web server that predicts."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch_geometric.nn import GAT, GCN, GIN, GraphSAGE

from torch_geometric_vgcn import (
    FreePosterior,
    SharedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
)

THREADS, CALLS = 4, 200


@pytest.fixture(params=[GCN, GAT, GraphSAGE, GIN])
def learner(request, graph):
    prior = SmoothedPrior(graph, 6)
    conv = request.param(3, 8, 2, 2, dropout=0.5, norm='batch_norm')
    return VariationalGraphLearner(conv, prior, posterior=FreePosterior())


def test_predictions_are_those_of_one_thread(learner):
    inputs = [torch.randn(6, 3) for _ in range(8)]
    noises = [learner.noise(3) for _ in inputs]
    jobs = list(zip(inputs, noises, strict=True))
    expected = [learner.predict(x, noise=noise) for x, noise in jobs]
    before = [dict(module.__dict__) for module in learner.conv.modules()]

    def work(start):
        for call in range(CALLS):
            place = (start + call) % len(jobs)
            x, noise = jobs[place]
            got = learner.predict(x, noise=noise)
            if not torch.equal(got, expected[place]):
                return f'thread {start}, call {call}'
        return None

    with ThreadPoolExecutor(THREADS) as pool:
        failures = [f for f in pool.map(work, range(THREADS)) if f]
    assert not failures
    # The conv is untouched: the same attributes, and it can be pickled.
    for module, state in zip(learner.conv.modules(), before, strict=True):
        assert module.__dict__.keys() == state.keys()
        assert all(module.__dict__[name] is state[name] for name in state)
    pickle.loads(pickle.dumps(learner))


def test_one_thread_may_train_while_others_predict(learner, graph):
    x, y = torch.randn(6, 3), torch.tensor([0, 0, 0, 1, 1, 1])
    noise = learner.noise(2)

    def predict(_):
        return [learner.predict(x, noise=noise) for _ in range(30)]

    def train(_):
        for _ in range(30):
            out = learner(x, num_samples=2)
            learner.objective(out, y).loss.backward()
        return []

    with ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(lambda job: job(0), (predict, train)))
    assert all(torch.isfinite(prob).all() for prob in parts[0])
    assert learner.training
    assert learner.posterior.offset.grad.isfinite().all()


def test_the_first_prediction_may_come_in_the_middle_of_training(graph):
    # Before each of the calls that are compared with one another, another
    # thread makes a step.
    conv = GIN(3, 8, 2, 2, norm='batch_norm')
    learner = VariationalGraphLearner(
        conv, SmoothedPrior(graph, 6), posterior=FreePosterior()
    )
    mean = conv.norms[0].module.running_mean

    def step(*args):
        with torch.no_grad():
            for tensor in (*conv.parameters(), mean):
                tensor += 0.5

    conv.convs[0].register_forward_pre_hook(step)
    before = mean.clone()
    assert learner.predict(torch.randn(6, 3)).isfinite().all()
    assert (mean > before).all()


def test_shared_graphs_are_those_of_the_thread(graph):
    # Two layers: the second must see the graphs that the first drew in the
    # same thread, whatever other threads drew meanwhile.
    first = VariationalGraphLearner(
        GraphSAGE(3, 3, 1, bias=False),
        SmoothedPrior(graph, 6),
        posterior=FreePosterior(),
    )
    second = SharedGraph(GraphSAGE(3, 3, 1), first)
    x = torch.randn(6, 3)
    noises = [first.noise(2) for _ in range(THREADS)]

    @torch.no_grad()
    def both(noise):
        return second(first(x, noise=noise))

    expected = [both(noise) for noise in noises]

    def work(place):
        return all(
            torch.equal(both(noises[place]), expected[place])
            for _ in range(50)
        )

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(work, range(THREADS)))


def test_a_bare_call_of_the_conv_is_not_weighted_meanwhile(graph):
    conv = GAT(3, 8, 2, 2).eval()
    learner = VariationalGraphLearner(
        conv, SmoothedPrior(graph, 6), posterior=FreePosterior()
    )
    x = torch.randn(6, 3)
    with torch.no_grad():
        expected = conv(x, graph)

    def predict(_):
        for _ in range(60):
            learner.predict(x, num_samples=2)
        return True

    def bare(_):
        with torch.no_grad():
            return all(
                torch.equal(conv(x, graph), expected) for _ in range(200)
            )

    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(lambda job: job(0), (predict, bare)))
