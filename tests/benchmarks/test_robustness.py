import json

import pytest

from benchmarks.paper.cases import Case
from benchmarks.robustness.attacks import SERIES, Series
from benchmarks.robustness.page import BASELINE, CAUTIOUS, OURS, parts


def test_an_attack_begins_without_a_change():
    meta = Series.of('Pro-GNN Citeseer', 'meta')
    assert meta in SERIES and len(meta.cases) == 6
    assert meta.cases[0] == Case('Pro-GNN Citeseer', 'true', 'public')
    nettack = Series.of('Pro-GNN Citeseer', 'nettack')
    assert nettack.cases[0].graph == 'nettack_0'
    assert [nettack.amount(case) for case in nettack.cases[:2]] == ['0', '1']


def test_the_page_begins_with_what_breaks_it():
    accs = {
        'true': (80, 79, 78),
        'prbcd_0.05': (75, 78, 60),
        'prbcd_0.25': (65, 77, 40),
        'similar_0.25': (79.5, 79, 78),
    }
    rows = [
        {'dataset': 'Cora', 'graph': graph, 'split': 'half', 'run': run,
         'system': system, 'test_acc': acc / 100, 'seconds': 2.0}
        for graph, every in accs.items()
        for system, acc in zip((OURS, CAUTIOUS, BASELINE), every, strict=True)
        for run in range(3)
    ]  # fmt: skip
    page = parts(rows, 'command')
    assert '1 of 2 do' in page[1]
    lines = page[1].splitlines()[4:6]
    worst = '| 25 % | 25 % | 15.0 (to 65.0) | 2.0 (to 77.0) | 38.0 (to 40.0) |'
    assert lines[0] == f'| **Cora, PRBCD** {worst}'
    assert lines[1].startswith('| Cora, similar features | 25 % |  | 0.5 (')
    head = '| budget, % of the edges | 0 % | 5 % | 25 % |'
    assert any(head in part for part in page)
    assert 'not known yet' in parts(rows[:3], 'command')[1]


def test_attacks_and_writes_the_page(benchmark, citeseer, tmp_path):
    args = ('--quick', '--only', 'similar', '--datasets', 'CiteSeer')
    args += ('--systems', 'Recipe: given graph', '--runs', 1)
    result = benchmark('robustness', *args)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / 'robustness.md').read_text()
    assert '| budget, % of the edges | 0 % | 25 % |' in page
    rows = [*map(json.loads, (tmp_path / 'robustness.jsonl').open())]
    assert [row['graph'] for row in rows] == ['true', 'similar_0.25']
    assert len(list((tmp_path / 'graphs').iterdir())) == 1


def test_attacks_without_data_are_refused(benchmark):
    result = benchmark('robustness', '--only', 'meta', '--datasets', 'Cora')
    assert result.returncode != 0
    assert 'no data of Cora for meta' in result.stderr
    with pytest.raises(KeyError):
        Series.of('Cora', 'unknown')
