r"""The same bound as in memory, and what is refused."""

import pickle

import pytest
import torch
from processes import karate, learner_of, write
from torch_geometric import seed_everything
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ELBO,
    FreePosterior,
    Gaussian,
    SemiSupervisedELBO,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
    partition,
    training,
)
from torch_geometric_vgcn.objective import BernoulliKL
from torch_geometric_vgcn.sample import PosteriorMean
from torch_geometric_vgcn.scale import (
    ShardedPosterior,
    StoredClusters,
    learned_edges,
    predict_clusters,
)

SHORT = {'epochs': 4, 'lr': 0.02, 'progress': False}


@pytest.mark.parametrize('objective', [ELBO, SemiSupervisedELBO])
def test_all_clusters_in_one_batch_are_the_graph_in_memory(
    tmp_path, objective
):
    def learner_with(prior, posterior):
        seed_everything(0)
        return VariationalGraphLearner(
            GCN(34, 8, 2, 4), prior, posterior, PosteriorMean(),
            objective(BernoulliKL()),
        )  # fmt: skip

    data, graph = karate(), write(tmp_path)
    prior = SmoothedPrior(data.edge_index, 34)
    one = learner_with(prior, FreePosterior(sparse=True))
    other = learner_with(graph.prior(), ShardedPosterior())
    want = fit(one, data, **SHORT)
    got = fit(other, graph, StoredClusters(graph, 8), **SHORT)
    if objective is ELBO:  # whose targets have no running mean in batches
        for mine, row in zip(got.history, want.history, strict=True):
            assert mine == pytest.approx(row, rel=1e-3, abs=1e-5)
        node, prob = predict_clusters(other, batch_size=8)
        assert torch.allclose(prob, one.predict(data.x)[node], atol=1e-4)
        found, graph = learned_edges(other, 0.0), one.learned_graph(0.0)
        assert found.edge_prob.sum() == pytest.approx(
            float(graph.edge_prob.sum()), rel=1e-5
        )
    assert got.history[0]['bound'] == pytest.approx(
        want.history[0]['bound'], rel=1e-2
    )


@pytest.mark.parametrize('together', [1, 2, 4])
def test_the_warm_up_counts_steps(tmp_path, together):
    graph = write(tmp_path)
    bound = SemiSupervisedELBO(BernoulliKL(), warmup=100)
    learner = learner_of(graph, objective=bound)
    loader = StoredClusters(graph, 2, together)
    epochs = fit(learner, graph, loader, **SHORT).best_epoch + 1
    assert int(bound.step) == epochs * loader.num_steps


def test_other_labels_than_classes(tmp_path):
    graph = write(tmp_path, y=torch.randn(34))
    net, prior = GCN(34, 8, 2, 1), graph.prior()
    learner = VariationalGraphLearner(
        net, prior, ShardedPosterior(), likelihood=Gaussian()
    )
    result = fit(learner, graph, StoredClusters(graph, 2), **SHORT)
    assert 'val_r2' in result.history[0]
    node, found = predict_clusters(learner, batch_size=3)
    assert found.mean.size(0) == 34
    assert torch.equal(node.sort().values, torch.arange(34))


def test_lazy_layers_are_initialised(tmp_path):
    graph = write(tmp_path)
    net = GCN(-1, 8, 2, 4)
    learner = VariationalGraphLearner(net, graph.prior(), ShardedPosterior())
    assert fit(learner, graph, StoredClusters(graph, 4), **SHORT).history


def test_all_pairs_meet_as_often_as_they_should(tmp_path):
    r"""In the mean, a pair counts once per epoch."""
    graph = write(tmp_path)
    loader = StoredClusters(graph, 2, together=2)
    met = torch.zeros(8, 8)
    for seed in range(2000):
        for a, b in loader.epoch(seed).view(-1, 2).tolist():
            met[a, b] += loader.between / 2000
    assert met.sum() == pytest.approx(28, rel=1e-4)
    assert (met - torch.ones(8, 8).triu(1)).abs().max() < 0.25


def test_there_is_no_whole_graph(tmp_path):
    graph = write(tmp_path)
    learner = learner_of(graph)
    for call in (
        lambda: learner.predict(karate().x),
        lambda: learner.edge_probs(),
        lambda: learner.learned_graph(),
    ):
        with pytest.raises(ValueError, match='predict_clusters'):
            call()


def test_what_does_not_fit_together_is_refused(tmp_path):
    graph, other = write(tmp_path / 'one'), write(tmp_path / 'two')
    learner, loader = learner_of(graph), StoredClusters(graph, 2)
    with pytest.raises(ValueError, match="'batch_size' times 'together'"):
        StoredClusters(graph, 3)
    with pytest.raises(ValueError, match="'data' must be the StoredGraph"):
        fit(learner, karate(), loader, **SHORT)
    with pytest.raises(ValueError, match="'learner' must have the prior"):
        fit(learner, other, StoredClusters(other), **SHORT)
    prior = SmoothedPrior(karate().edge_index, 34)
    with pytest.raises(TypeError, match="'prior' must be a StoredPrior"):
        VariationalGraphLearner(GCN(34, 8, 2, 4), prior, ShardedPosterior())
    few = VariationalGraphLearner(
        GCN(34, 8, 2, 3), graph.prior(), ShardedPosterior()
    )
    with pytest.raises(ValueError, match='outputs of the network, got 3'):
        fit(few, graph, loader, **SHORT)


def test_another_run_is_refused(tmp_path):
    graph, path = write(tmp_path / 'graph'), tmp_path / 'run'
    loader = StoredClusters(graph, 2)

    def train(**options):
        options = {**SHORT, 'checkpoint': path, **options}
        return fit(learner_of(graph), graph, loader, **options)

    train()
    with pytest.raises(ValueError, match='of another run: lr is 0.02 there'):
        train(lr=0.1)
    with pytest.raises(ValueError, match="'epochs' must be at least 4"):
        train(epochs=3)
    with pytest.raises(ValueError, match='of another run: together is 1'):
        loader = StoredClusters(graph, 2, together=2)
        train()
    with pytest.raises(ValueError, match="'checkpoint' must be a folder"):
        train(checkpoint=tmp_path / 'graph' / 'x.npy')


def test_a_state_that_is_not_whole_is_left_aside(tmp_path):
    r"""As a process leaves it that is killed while it writes."""
    graph, path = write(tmp_path / 'graph'), tmp_path / 'run'
    want = fit(learner_of(graph), graph, StoredClusters(graph), **SHORT)
    half = {**SHORT, 'epochs': 2, 'checkpoint': path}
    fit(learner_of(graph), graph, StoredClusters(graph), **half)
    part = path / 'epoch-000003'
    part.mkdir()
    (part / '__0_0.distcp').write_bytes(b'half')
    full = {**SHORT, 'checkpoint': path, 'checkpoint_every': 1}
    got = fit(learner_of(graph), graph, StoredClusters(graph), **full)
    assert got.history == want.history
    names = {file.name for file in path.iterdir()}
    assert names == {'latest.json', 'epoch-000004'}


class Evil:
    def __reduce__(self):
        return print, ('run',)


def test_a_description_runs_no_code(tmp_path, capsys):
    graph, path = write(tmp_path / 'graph'), tmp_path / 'run'
    options = {**SHORT, 'checkpoint': path}
    fit(learner_of(graph), graph, StoredClusters(graph), **options)
    (path / 'epoch-000004' / '.metadata').write_bytes(pickle.dumps(Evil()))
    with pytest.raises(ValueError, match='must not name builtins'):
        fit(learner_of(graph), graph, StoredClusters(graph), **options)
    assert 'run' not in capsys.readouterr().out


@pytest.mark.parametrize(
    'room, name, now',
    [
        (partition, 'partition_graph', 'write_graph'),
        (partition, 'PartitionedGraph', 'StoredGraph'),
        (training, 'predict_partitioned', 'predict_clusters'),
    ],
)
def test_former_names_tell_where_they_are(room, name, now):
    with pytest.warns(DeprecationWarning, match=f'scale.{now}'):
        getattr(room, name)


def test_former_names_that_are_gone_tell_what_to_use():
    with pytest.raises(ImportError, match='ShardedPosterior'):
        _ = partition.PartitionedLearner
    with pytest.raises(ImportError, match='StoredClusters'):
        _ = training.fit_partitioned
