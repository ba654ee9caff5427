"""A checkpoint resumes its own run, and no other."""

import io
import pickle
import resource
import signal
from contextlib import contextmanager

import pytest
import torch
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GAT, GCN

from torch_geometric_vgcn import (
    ELBO,
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    EvidencePrior,
    FixedGraph,
    FreePosterior,
    LogisticKL,
    LowRankPosterior,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn import (
    SemiSupervisedELBO as bound,
)
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.sample import PosteriorMean

SETTINGS = {'epochs': 3, 'patience': 100, 'progress': False}


def karate():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


def learner_of(data, net=None, prior=None, seed=0, **parts):
    seed_everything(seed)
    parts = {'posterior': FreePosterior(), **parts}
    return VariationalGraphLearner(
        net or GCN(34, 8, 2, 4, dropout=0.5, norm='batch_norm'),
        prior or SmoothedPrior(data.edge_index, 34),
        **parts,
    )


def changed(tensor, place, value):
    tensor = tensor.clone()
    tensor[place] = value
    return tensor


def net(hidden=8, dropout=0.5, norm='batch_norm', **options):
    return GCN(34, hidden, 2, 4, dropout=dropout, norm=norm, **options)


DATA = karate()
EDGES = DATA.edge_index
WITHOUT_AN_EDGE = EDGES[:, EDGES.sum(0) > 1]  # that of nodes 0 and 1


def prior(edge_index=EDGES, **options):
    return SmoothedPrior(edge_index, 34, **options)


# What differs, and what the message must name. The names of the learner's
# parts don't matter here.
LEARNERS = {
    'beta': ({'objective': bound(LogisticKL(), beta=0.1)}, r'beta is 0\.01'),
    'weight': ({'objective': bound(LogisticKL(), weight=2.0)}, 'weight is 1'),
    'T': ({'objective': bound(LogisticKL(), temperature=0.4)}, 'ture is 0.5'),
    'warmup': ({'objective': bound(LogisticKL(), warmup=9)}, 'warmup is 50'),
    'shares': ({'objective': bound(LogisticKL(), class_share=torch.ones(4))},
               'class_share is None there'),
    'objective': ({'objective': ELBO(LogisticKL())}, r'Semi.* there, .*ELBO'),
    'KL': ({'objective': bound(LogisticKL(0.3))}, r'kl.temperature is 0\.5'),
    'rho1': ({'prior': prior(rho1=0.3)}, r'prior.rho1 is 0\.25 there, 0\.3 '),
    'rho0': ({'prior': prior(rho0=1e-4)}, r'prior.rho0 is 1e-05 there'),
    'evidence': ({'prior': EvidencePrior(prior(), DATA.x)}, 'EvidencePrior'),
    'pairs': ({'prior': prior(pairs=AllPairs(34))}, 'prior.pairs is .*AllPai'),
    'edges': ({'prior': prior(WITHOUT_AN_EDGE)}, 'prior.pairs.index is '),
    'tau': ({'sampler': BinaryConcrete(0.4)}, 'sampler.temperature is 0.5 '),
    'tolerance': ({'sampler': BinaryConcrete(0.5, 0.1)}, 'sampler.toleranc'),
    'sampler': ({'sampler': PosteriorMean()}, 'sampler is .*PosteriorMean'),
    'hard sampler': ({'sampler': Bernoulli()}, 'sampler is .*Bernoulli'),
    'posterior': ({'posterior': LowRankPosterior(3)}, 'posterior is .*LowR'),
    'sparse': ({'posterior': FreePosterior(True)}, 'sparse is False there'),
    'dropout': ({'net': net(dropout=0.4)}, 'conv.dropout.p is 0.5 there, 0.4'),
    'hidden size': ({'net': net(hidden=9)}, 'hidden_channels is 8 there, 9'),
    'norm': ({'net': net(norm=None)}, 'conv.norms.* is'),
    'activation': ({'net': net(act='tanh')}, 'conv.act is .*ReLU there'),
    'conv': ({'net': GAT(34, 8, 2, 4)}, 'conv is .*GCN there, .*GAT here'),
    'option of a conv': ({'net': net(normalize=False)}, 'normalize is True'),
}  # fmt: skip


@pytest.fixture(scope='module')
def finished(tmp_path_factory):
    """The checkpoint of a run."""
    path = tmp_path_factory.mktemp('runs') / 'run.pt'
    fit(learner_of(DATA), DATA, checkpoint=path, **SETTINGS)
    return path


@pytest.mark.parametrize('name', LEARNERS)
def test_another_learner_is_refused(finished, name):
    parts, message = LEARNERS[name]
    saved = finished.read_bytes()
    with pytest.raises(ValueError, match=f'is of another run: .*{message}'):
        learner = learner_of(DATA, **parts)
        fit(learner, DATA, checkpoint=finished, **SETTINGS)
    assert finished.read_bytes() == saved


@pytest.mark.parametrize(
    'setting, message',
    [
        ({'lr': 0.02}, r'lr is 0\.01 there, 0\.02 here'),
        ({'logit_lr': 0.02}, r'logit_lr is None there, 0\.02 here'),
        ({'weight_decay': 0}, r'weight_decay is 0\.0005 there, 0\.0 here'),
        ({'num_samples': 4}, 'num_samples is 3 there, 4 here'),
        ({'patience': 5}, 'patience is 100 there, 5 here'),
    ],
)
def test_other_settings_are_refused(finished, setting, message):
    settings = {**SETTINGS, **setting}
    with pytest.raises(ValueError, match=f'is of another run: {message}'):
        fit(learner_of(DATA), DATA, checkpoint=finished, **settings)


@pytest.mark.parametrize(
    'name, value',
    [
        ('x', changed(DATA.x, (3, 4), 0.5)),
        ('x', DATA.x.to_sparse()),
        ('y', changed(DATA.y, int(DATA.train_mask.nonzero()[0]), 3)),
        ('train_mask', changed(DATA.train_mask, 33, True)),
        ('val_mask', changed(DATA.val_mask, 33, True)),
    ],
)
def test_other_data_are_refused(finished, name, value):
    data = karate()
    data[name] = value
    message = rf'is of another run: data.{name} is torch.* there, torch.* here'
    with pytest.raises(ValueError, match=message):
        fit(learner_of(DATA), data, checkpoint=finished, **SETTINGS)


def test_frozen_parts_are_part_of_the_run(finished):
    learner = learner_of(DATA)
    learner.conv.convs[0].bias.requires_grad_(False)
    with pytest.raises(ValueError, match=r'convs.0.bias .* here, frozen|froz'):
        fit(learner, DATA, checkpoint=finished, **SETTINGS)
    learner = learner_of(DATA)
    learner.conv.norms.eval()
    with pytest.raises(ValueError, match='norms.* is None there, False here'):
        fit(learner, DATA, checkpoint=finished, **SETTINGS)


def test_another_kind_of_learner_or_run_is_refused(finished, clusters):
    with pytest.raises(ValueError, match='learner is .*VariationalGraphLearn'):
        seed_everything(0)
        model = FixedGraph(net(), EDGES)
        fit(model, DATA, checkpoint=finished, **SETTINGS)
    with pytest.raises(ValueError, match='batches is WholeGraph there, Clu'):
        train_clusters(clusters, finished)


def test_another_fixed_graph_is_refused(tmp_path):
    path = tmp_path / 'run.pt'
    fit(FixedGraph(net(), EDGES), DATA, checkpoint=path, **SETTINGS)
    with pytest.raises(ValueError, match=r'run: edge_index is .* \[2, 156\]'):
        model = FixedGraph(net(), WITHOUT_AN_EDGE)
        fit(model, DATA, checkpoint=path, **SETTINGS)


@pytest.fixture(scope='module')
def clusters():
    return ClusterData(DATA, 4, log=False)


def train_clusters(clusters, path, data=DATA, **options):
    options = {'batch_size': 2, 'shuffle': True, **options}
    loader = ClusterLoader(clusters, **options)
    learner = learner_of(DATA, net())
    return fit(learner, data, loader, checkpoint=path, **SETTINGS)


def test_another_partition_or_loader_is_refused(tmp_path, clusters):
    path = tmp_path / 'run.pt'
    expected = train_clusters(clusters, path)
    assert train_clusters(clusters, path) == expected
    others = [
        (ClusterData(DATA, 5, log=False), {}, 'loader.partition is '),
        (clusters, {'batch_size': 3}, 'loader.batch_size is 2 there, 3 here'),
        (clusters, {'shuffle': False}, 'loader.sampler is RandomSampler'),
        (
            clusters,
            {'shuffle': False, 'sampler': only(0, 1)},
            'loader.clusters of each process is',
        ),
    ]
    for parts, options, message in others:
        with pytest.raises(ValueError, match=message):
            train_clusters(parts, path, **options)


def only(*clusters):
    return torch.utils.data.SubsetRandomSampler(clusters)


@pytest.mark.parametrize('patience', [3, 100])
def test_more_epochs_go_on_as_one_run(tmp_path, patience, same_state):
    path = tmp_path / 'run.pt'
    for first in (1, 7):
        whole = learner_of(DATA, objective=ELBO(LogisticKL()))
        settings = {'patience': patience, 'progress': False}
        expected = fit(whole, DATA, epochs=40, **settings)
        assert (len(expected.history) < 40) == (patience == 3)
        learner = learner_of(DATA, objective=ELBO(LogisticKL()))
        settings['checkpoint'] = path
        fit(learner, DATA, epochs=first, **settings)
        # The same learner, whose state is the best and not the last one, or
        # a new one:
        for seed in (None, 5):
            saved = path.read_bytes()
            if seed is not None:
                learner = learner_of(
                    DATA, seed=seed, objective=ELBO(LogisticKL())
                )
            assert fit(learner, DATA, epochs=40, **settings) == expected
            assert same_state(learner, whole)
            path.write_bytes(saved)
        path.unlink()


def test_a_finished_run_is_not_trained_again(finished):
    def trained(*_):
        raise AssertionError

    expected = fit(learner_of(DATA), DATA, **SETTINGS)
    learner = learner_of(DATA, seed=1)
    learner.register_forward_pre_hook(trained)
    saved = finished.read_bytes()
    for _ in range(2):
        result = fit(learner, DATA, checkpoint=finished, **SETTINGS)
        assert result == expected
    assert finished.read_bytes() == saved


def test_fewer_epochs_are_refused(finished):
    with pytest.raises(
        ValueError, match="'epochs' must be at least 3, .*ot 2"
    ):
        settings = {**SETTINGS, 'epochs': 2}
        fit(learner_of(DATA), DATA, checkpoint=finished, **settings)


def test_index_masks_and_boolean_masks_are_the_same_run(finished):
    data = karate()
    data.val_mask = data.val_mask.nonzero().view(-1)
    result = fit(learner_of(data), data, checkpoint=finished, **SETTINGS)
    assert len(result.history) == 3


def code():
    """A pickle that calls a function."""

    class Call:
        def __reduce__(self):
            return print, ('called',)

    return pickle.dumps(Call())


def saved(state):
    file = io.BytesIO()
    torch.save(state, file)
    return file.getvalue()


@pytest.mark.parametrize(
    'content, message',
    [
        (b'', "can't be read"),
        (b'x, y\n1, 2\n', "can't be read"),
        (code(), "can't be read"),
        (saved({'call': print}), "can't be read"),
        (saved(GCN(34, 8, 2, 4).state_dict()), 'not written by fit'),
        (saved(torch.ones(3)), 'not written by fit'),
        (saved({'settings': {}, 'learner': {}}), 'not written by fit'),
    ],
)
def test_foreign_files_are_refused(tmp_path, capsys, content, message):
    path = tmp_path / 'run.pt'
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f'run.pt .*{message}.*: remove it'):
        fit(learner_of(DATA), DATA, checkpoint=path, **SETTINGS)
    assert path.read_bytes() == content
    assert capsys.readouterr().out == ''


@pytest.mark.parametrize('damage', ['cut', 'bit'])
def test_damaged_files_are_refused(tmp_path, finished, damage):
    path, content = tmp_path / 'run.pt', bytearray(finished.read_bytes())
    if damage == 'cut':
        content = content[: len(content) // 2]
    else:
        start = content.index(b'/data/0')
        content[start + 200] ^= 1
    path.write_bytes(content)
    with pytest.raises(
        ValueError, match="run.pt can't be read, it is damaged"
    ):
        fit(learner_of(DATA), DATA, checkpoint=path, **SETTINGS)


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match='must be a file, got the folder'):
        fit(learner_of(DATA), DATA, checkpoint=tmp_path, **SETTINGS)


def test_a_path_that_cannot_be_written_is_detected_at_the_start(
    tmp_path, same_state
):
    file = tmp_path / 'file'
    file.write_text('here')
    for path in (file / 'run.pt', tmp_path / ('x' * 300), tmp_path / 'a\0b'):
        learner = learner_of(DATA)
        with pytest.raises(OSError, match="'checkpoint' .*can't be written"):
            fit(learner, DATA, checkpoint=path, **SETTINGS)
        assert same_state(learner, learner_of(DATA))
    assert list(tmp_path.iterdir()) == [file]


def test_the_folder_is_made(tmp_path):
    path = tmp_path / 'some' / 'where' / 'run.pt'
    fit(learner_of(DATA), DATA, checkpoint=str(path), **SETTINGS)
    assert list(path.parent.iterdir()) == [path]


@contextmanager
def full_disk(size):
    """Limits the size of files, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def test_a_full_disk_leaves_the_last_checkpoint_whole(tmp_path):
    path = tmp_path / 'run.pt'
    fit(learner_of(DATA), DATA, checkpoint=path, **SETTINGS)
    content = path.read_bytes()
    settings = {**SETTINGS, 'epochs': 5}
    with (
        full_disk(len(content) // 2),
        pytest.raises(OSError, match="'checkpoint' .*run.pt can't be writt"),
    ):
        fit(learner_of(DATA), DATA, checkpoint=path, **settings)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_corrupts_nothing(tmp_path, monkeypatch):
    path = tmp_path / 'run.pt'
    fit(learner_of(DATA), DATA, checkpoint=path, **SETTINGS)
    content = path.read_bytes()

    def interrupted(state, file):
        file.write(b'half of it')
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, 'save', interrupted)
    settings = {**SETTINGS, 'epochs': 5}
    learner = learner_of(DATA)
    with pytest.raises(KeyboardInterrupt):
        fit(learner, DATA, checkpoint=path, **settings)
    monkeypatch.undo()
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]
    result = fit(learner, DATA, checkpoint=path, **settings)
    assert result == fit(learner_of(DATA), DATA, **settings)
