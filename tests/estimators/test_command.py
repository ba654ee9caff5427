import csv
from functools import partial

import numpy as np
import pytest

from torch_geometric_vgcn.__main__ import main
from torch_geometric_vgcn.estimators import VGCNClassifier, command


@pytest.fixture
def table(tmp_path, blobs):
    r"""A table with a category, a name for each row, and blank labels."""
    x, truth, y = blobs
    names = ['red', 'green', 'blue']
    path = tmp_path / 'mine.csv'
    with path.open('w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(['name', *'abcde', 'side', 'kind'])
        for row in range(120):
            side = 'left' if x[row, 0] < 0 else 'right'
            kind = names[y[row]] if y[row] >= 0 else ''
            writer.writerow([f'n{row}', *x[row], side, kind])
    return path, np.array(names)[truth]


def read(path):
    with path.open(newline='') as file:
        return list(csv.DictReader(file))


def test_blank_labels_are_filled_in(tmp_path, table, capsys, monkeypatch):
    few = partial(VGCNClassifier, trust=0.1, max_iter=40)
    monkeypatch.setattr(command, 'VGCNClassifier', few)
    path, truth = table
    out, model = tmp_path / 'predictions.csv', tmp_path / 'model.vgcn'
    main(
        [str(path), '--label', 'kind', '--drop', 'name', '--out', str(out)]
        + ['--model', str(model)]
    )
    lines = read(out)
    assert len(lines) == 120
    found = np.array([line['predicted'] for line in lines])
    assert (found == truth).mean() > 0.85
    for line in lines:
        prob = [float(line[f'probability of {n}']) for n in set(truth)]
        assert sum(prob) == pytest.approx(1, abs=1e-3)
        assert float(line['confidence']) == max(prob)
        assert line['kind'] in ('', *set(truth))
    edges = read(tmp_path / 'predictions.edges.csv')
    probs = [float(edge['probability']) for edge in edges]
    assert probs == sorted(probs, reverse=True)
    assert all(int(e['row']) < int(e['other_row']) for e in edges)
    told = capsys.readouterr().out
    assert '95 % interval' in told and 'Chosen: ' in told
    assert VGCNClassifier.load(model).n_features_in_ == 7


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (['none.csv', '--label', 'kind'], 'No such file'),
        (['TABLE', '--label', 'colour'], "'label' must be one of the columns"),
        (['TABLE', '--label', 'kind'], "'name' has another text in each row"),
    ],
)
def test_errors_are_told_in_a_line(table, arguments, message, capsys):
    given = [str(table[0]) if a == 'TABLE' else a for a in arguments]
    with pytest.raises(SystemExit) as exit_:
        main(given)
    assert exit_.value.code == 1
    assert message in capsys.readouterr().err
