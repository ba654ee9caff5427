import pytest

pytest.importorskip('matplotlib')

from cases import Case
from label_share import PRIORS, curve
from page import Page


@pytest.mark.parametrize('runs', [1, 3])
def test_a_panel_for_each_graph_and_a_line_for_each_prior(tmp_path, runs):
    shares = (0.02, 0.1, 0.6)
    cases = tuple(
        Case('Cora', graph, f'share-{share}')
        for graph in ('add_5000', 'knn')
        for share in shares
    )
    rows = []
    for case in cases:
        for prior, systems in PRIORS.items():
            gain = case.share if prior == 'smoothed' else 0.0
            for acc, system in zip(
                (0.8 + gain / 10, 0.8), systems, strict=True
            ):
                for run in range(runs):
                    key = {**vars(case), 'system': system, 'run': run}
                    rows.append({**key, 'test_acc': acc + run / 100})
    systems = tuple(name for pair in PRIORS.values() for name in pair)
    text = curve(Page('name', tmp_path, cases, systems, rows))
    lines = text.splitlines()[-4:]
    assert '| data | prior | 2 % | 10 % | 60 % |' in text
    for line, graph in zip(lines[::2], ('+5000', 'no graph'), strict=True):
        assert line.startswith(f'| Cora, {graph} | evidence | +0.00')
        assert '**' not in line
    for line, graph in zip(lines[1::2], ('+5000', 'no graph'), strict=True):
        cells = [
            f'**+{gain} [+{gain}, +{gain}]**' if runs > 1 else f'+{gain}'
            for gain in ('0.20', '1.00', '6.00')
        ]
        assert line == f'| Cora, {graph} | smoothed | {" | ".join(cells)} |'
    assert (tmp_path / 'name.png').stat().st_size > 1000
