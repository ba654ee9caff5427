import sys
from pathlib import Path

import pytest
from systems.peers import (
    ProGNN,
    RobustGCN,
    RobustJaccard,
    RobustSVD,
    SimPGCN,
    in_new_folder,
)


@pytest.mark.filterwarnings('ignore::UserWarning')
@pytest.mark.parametrize(
    'system, settings',
    [
        (RobustGCN(), {}),
        (RobustJaccard(), {'threshold': 0.01}),
        (RobustSVD(), {'rank': 10}),
        (SimPGCN(), SimPGCN.quick),
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
        RobustSVD().train(communities, seed=0, rank=10)


def test_what_a_system_writes_is_gone():
    before = Path.cwd()
    with in_new_folder():
        inside = Path.cwd()
        Path('file').touch()
    assert inside != before and Path.cwd() == before
    assert not inside.exists()
