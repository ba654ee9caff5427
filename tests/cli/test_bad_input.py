"""Bad input gets one clear sentence, wherever it comes in."""

import csv

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from torch_geometric_vgcn import VGCN
from torch_geometric_vgcn.__main__ import main
from torch_geometric_vgcn.estimators import (
    VGCNClassifier,
    VGCNNodeClassifier,
    VGCNRegressor,
)

X, Y = np.random.RandomState(0).randn(12, 2), np.arange(12) % 2
NONE, ONE = np.full(12, -1), np.where(Y == 0, 0, -1)
HOLE = np.where(np.arange(24).reshape(12, 2) == 7, np.nan, X)
BEYOND = np.array([[0, 1], [1, 12]])
BAD = {
    'no labels': ((X, NONE), 'must .* (labels|classes).*, got'),
    'one class': ((X, ONE), "at least two classes.*, got .*(0|'a')"),
    'no features': ((X[:, :0], Y), 'feature|column'),
    'NaN': ((HOLE, Y), "'(data.x|X|b)' must .*, got 1 "),
    'graph of other nodes': (
        (X, Y, BEYOND),
        r"'(data.edge_index|graph)' must .* \[0, 11\].*12",
    ),
}


def data_of(x, y, graph=None):
    edges = None if graph is None else torch.from_numpy(graph)
    return Data(x=torch.from_numpy(x), y=torch.from_numpy(y), edge_index=edges)


def one_call(*given):
    VGCN(data_of(*given))


def nodes(*given):
    VGCNNodeClassifier().fit(data_of(*given))


def table(x, y, graph=None):
    VGCNClassifier().fit(x, y, graph=graph)


def quantities(x, y, graph=None):
    if len(set(y)) == 2 and min(y) < 0:
        pytest.skip('one value of a quantity is a fair value')
    VGCNRegressor().fit(x, np.where(y < 0, np.nan, y), graph=graph)


@pytest.fixture
def command(tmp_path, capsys):
    def run(x, y, graph=None):
        if graph is not None:
            pytest.skip('the command has no graph')
        path = tmp_path / 'table.csv'
        with path.open('w', newline='') as file:
            writer = csv.writer(file)
            writer.writerow([*'ab'[: x.shape[1]], 'kind'])
            for row, kind in zip(x, y, strict=True):
                cells = ['' if np.isnan(value) else value for value in row]
                writer.writerow([*cells, ['a', 'b', ''][kind]])
        with pytest.raises(SystemExit):
            main([str(path), '--label', 'kind'])
        told = capsys.readouterr().err
        assert told.endswith('\n')
        raise ValueError(told.removesuffix('\n'))

    return run


CALLS = [one_call, nodes, table, quantities, 'command']


@pytest.mark.parametrize('call', CALLS)
@pytest.mark.parametrize('name', BAD)
def test_it_is_told_in_a_sentence(request, call, name):
    given, match = BAD[name]
    if isinstance(call, str):
        call = request.getfixturevalue(call)
    if call is quantities and name == 'no labels':
        match = 'at least two known values, got 0'
    with pytest.raises(ValueError, match=match) as error:
        call(*given)
    told = str(error.value)
    assert '\n' not in told and '. ' not in told


def test_a_class_without_labels_for_validation_is_none():
    data = data_of(X, Y)
    data.train_mask = torch.arange(12) < 6
    data.val_mask = (torch.arange(12) > 6) & (data.y == 0)
    VGCN(data)
