import sys

import pytest
from systems.peers import GCNSVD, GCNJaccard, ProGNN, RobustGCN


@pytest.mark.filterwarnings('ignore::UserWarning')
@pytest.mark.parametrize(
    'system, settings',
    [
        (RobustGCN(), {}),
        (GCNJaccard(), {'threshold': 0.01}),
        (GCNSVD(), {'rank': 10}),
        (ProGNN(), {'lambda_': 1e-3, 'epochs': 30}),
    ],
    ids=lambda value: getattr(value, 'title', ''),
)
def test_finds_communities(system, settings, communities, capsys):
    pytest.importorskip('deeprobust')
    outcome = system.train(communities, seed=0, **settings)
    assert outcome.prob.shape == (60, 2)
    assert (outcome.prob.argmax(-1) == communities.truth).float().mean() > 0.7
    assert outcome.history[outcome.epoch] == outcome.val_acc
    assert capsys.readouterr().out == ''


def test_without_the_package_the_error_says_how_to_install_it(
    monkeypatch, communities
):
    monkeypatch.setitem(sys.modules, 'deeprobust.graph', None)
    with pytest.raises(ImportError, match='pip install deeprobust'):
        GCNSVD().train(communities, seed=0, rank=10)
