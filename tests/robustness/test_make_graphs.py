import os

import pytest

pytest.importorskip('matplotlib')

from attacks import FOLDER
from cases import Case
from make_graphs import make_graphs
from trials import Trial


def test_graphs_are_made_once_for_all_systems(citeseer, tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, 'restored afterwards')
    graphs = ('true', 'words_0.5', 'similar_0.05')
    trials = [
        Trial(Case('CiteSeer', graph), 0, system, ())
        for graph in graphs
        for system in ('GCN', 'GAT')
    ]
    make_graphs(trials, tmp_path / 'graphs', workers=1)
    (path,) = (tmp_path / 'graphs').iterdir()
    assert path.name == 'CiteSeer-similar_0.05-half-0.npz'
    before = path.stat().st_mtime_ns
    assert os.environ[FOLDER] == str((tmp_path / 'graphs').resolve())
    data = Case('CiteSeer', 'similar_0.05').load(0)
    assert data.num_edges == 2 * round(1.05 * citeseer.num_edges / 2)
    assert path.stat().st_mtime_ns == before
