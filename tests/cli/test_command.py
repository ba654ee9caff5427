import csv
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from torch_geometric_vgcn.__main__ import main
from torch_geometric_vgcn.cli import predictions
from torch_geometric_vgcn.estimators import VGCNClassifier, VGCNRegressor


@pytest.fixture
def table(tmp_path):
    r"""A table with a category, a name for each row, and blank labels."""
    x, truth = make_blobs(
        n_samples=120, centers=3, n_features=5, cluster_std=3.0, random_state=1
    )
    y = np.where(np.random.RandomState(0).rand(120) < 0.25, truth, -1)
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


@pytest.fixture
def quick_command(monkeypatch):
    for kind in (VGCNClassifier, VGCNRegressor):
        few = partial(kind, trust=0.1, max_iter=40)
        monkeypatch.setattr(predictions, kind.__name__, few)


def test_blank_labels_are_filled_in(tmp_path, table, capsys, quick_command):
    path, truth = table
    out, model = tmp_path / 'predictions.csv', tmp_path / 'model.vgcn'
    page = tmp_path / 'report.html'
    main(
        [str(path), '--label', 'kind', '--name', 'name', '--out', str(out)]
        + ['--model', str(model), '--report', str(page)]
    )
    lines = read(out)
    assert len(lines) == 120
    assert [line['name'] for line in lines] == [f'n{r}' for r in range(120)]
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
    for edge in edges:
        assert int(edge['row']) < int(edge['other_row'])
        assert edge['name'] == 'n' + edge['row']
        assert edge['other_name'] == 'n' + edge['other_row']
    told = capsys.readouterr().out
    assert '95 % interval' in told and 'Chosen: ' in told
    loaded = VGCNClassifier.load(model)
    assert loaded.n_features_in_ == 7
    assert list(loaded.classes_) == ['blue', 'green', 'red']
    content = page.read_text(encoding='utf-8')
    assert '<h1>mine.csv</h1>' in content
    assert '"n0","n1","n2"' in content and '["blue","green","red"]' in content


@pytest.fixture
def prices(tmp_path):
    r"""A table with a quantity, which is blank in four of five rows."""
    x = np.random.RandomState(0).randn(200, 3)
    price = 100 + 20 * x[:, 0] + x[:, 1]
    path = tmp_path / 'prices.csv'
    with path.open('w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(['id', *'abc', 'price'])
        for row in range(200):
            known = f'{price[row]:.2f}' if row % 5 == 0 else ''
            writer.writerow([f'n{row}', *x[row], known])
    return path, price


def test_quantities(tmp_path, prices, capsys, quick_command):
    path, price = prices
    out, model = tmp_path / 'out.csv', tmp_path / 'model.vgcn'
    given = [str(path), '--label', 'price', '--name', 'id', '--quantity']
    main([*given, '--out', str(out), '--model', str(model)])
    lines = read(out)
    assert list(lines[0]) == ['id', 'price', 'predicted']
    found = np.array([float(line['predicted']) for line in lines])
    assert np.corrcoef(found, price)[0, 1] > 0.8
    for row, line in enumerate(lines):
        assert (line['price'] == '') == (row % 5 > 0)
        if line['price']:
            assert line['predicted'] == line['price']
    told = capsys.readouterr().out
    assert '40 rows with a number, 160 without' in told and 'R²' in told
    assert VGCNRegressor.load(model).n_features_in_ == 3


@pytest.mark.parametrize('whole', [False, True])
def test_quantities_are_no_classes(prices, capsys, whole):
    path, _ = prices
    if whole:
        path.write_text(path.read_text().replace('.', ''))
    with pytest.raises(SystemExit):
        main([str(path), '--label', 'price', '--name', 'id'])
    told = capsys.readouterr().err
    assert "'price' must hold classes, got 40 different numbers in 40" in told
    assert 'set --quantity' in told


def test_what_can_not_be_a_quantity(table, prices, capsys):
    for arguments, message in (
        (
            [table[0], '--label', 'kind'],
            "must hold numbers, got 'blue'",
        ),
        ([prices[0], '--label', 'price', '--report', 'r.html'], '--report'),
    ):
        given = [*map(str, arguments), '--quantity', '--drop']
        with pytest.raises(SystemExit):
            main([*given, 'name' if 'kind' in arguments else 'id'])
        assert message in capsys.readouterr().err


def test_an_accuracy_that_is_not_known_is_not_told(
    tmp_path, table, capsys, quick_command
):
    path, _ = table
    head, *lines = path.read_text().splitlines()
    seen = set()
    for place, line in enumerate(lines):
        cells, kind = line.rsplit(',', 1)
        if kind in seen:
            lines[place] = f'{cells},'
        seen.add(kind)
    path.write_text('\n'.join([head, *lines]))
    page = tmp_path / 'report.html'
    main(
        [str(path), '--label', 'kind', '--name', 'name']
        + ['--out', str(tmp_path / 'out.csv'), '--report', str(page)]
    )
    told = capsys.readouterr().out
    assert '3 rows with a label, 117 without' in told
    assert 'the accuracy is not known' in told and '95 %' not in told
    content = page.read_text(encoding='utf-8')
    assert 'No label was held out' in content
    assert 'class="trials"' not in content


def test_a_file_of_excel_with_gaps(tmp_path, table, quick_command):
    path, truth = table
    lines = path.read_text().replace(',', ';').replace('.', ',').splitlines()
    cells = lines[5].split(';')
    lines[5] = ';'.join([*cells[:2], '', *cells[3:]])
    path.write_text('\n'.join(lines), encoding='utf-8-sig')
    out = tmp_path / 'out.csv'
    given = [str(path), '--label', 'kind', '--name', 'name', '--out', str(out)]
    with pytest.raises(SystemExit):
        main(given)
    main([*given, '--fill'])
    found = np.array([line['predicted'] for line in read(out)])
    assert (found == truth).mean() > 0.85


def test_a_column_that_numbers_the_rows_is_told(
    tmp_path, table, quick_command, capsys
):
    path, _ = table
    lines = path.read_text().replace('\nn', '\n').splitlines()
    path.write_text('\n'.join(lines))  # the names are numbers now
    main([str(path), '--label', 'kind', '--out', str(tmp_path / 'out.csv')])
    told = capsys.readouterr().err
    assert "Note: column 'name' has each number from 0 to 119 once" in told


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (['TABLE', '--label', 'kind'], "'name' has a different text"),
        (
            ['TABLE', '--label', 'kind', '--name', 'title'],
            '--name must be one of the columns',
        ),
        (
            ['TABLE', '--label', 'kind', '--report', 'none/report.html'],
            "'none/report.html' must be in a folder that exists",
        ),
    ],
)
def test_errors_are_told_in_a_line(table, arguments, message, capsys):
    given = [str(table[0]) if a == 'TABLE' else a for a in arguments]
    with pytest.raises(SystemExit) as exit_:
        main(given)
    assert exit_.value.code == 1
    assert message in capsys.readouterr().err
