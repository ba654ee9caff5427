import json

from tables_page import write


def test_a_page_with_its_tables(results, tmp_path):
    some = results(
        {
            ('Wine', None): {'VGCN': [96, 97, 98], 'KNeighbors': [90, 91, 92]},
            ('FARS', 0.1): {'VGCN': [60, 62, 61], 'KNeighbors': [61, 61, 61]},
        }
    )
    failed = {'dataset': 'FARS', 'share': 0.1, 'run': 0, 'seconds': 1.0}
    some.rows.append(
        {**failed, 'system': 'LabelSpreading', 'failed': 'out of memory'}
    )
    some.systems.append('LabelSpreading')
    text = write(some, tmp_path, 'python benchmarks/tables')
    assert (tmp_path / 'tables.md').read_text() == text + '\n'
    # A clear difference is in bold, noise isn't:
    lines = text.splitlines()
    wine = '| Wine, 30 labels | 3 | **97.0 ± 1.0** | 91.0 ± 1.0 |  | 98.2 |'
    assert wine in lines
    fars = '| FARS, 10 % | 3 | 61.0 ± 1.0 | 61.0 ± 0.0 | out of memory |  |'
    assert fars in lines
    assert '| Wine, 30 labels | 3 | **0.030** | 0.090 |  |' in lines
    assert '| Wine, 30 labels | 3 | 60 | 2.0 |  |' in lines
    assert '1 to 3 runs' in text
    assert '## Memory' not in text
    memory = {'system': 'VGCN', 'rows': 1000, 'peak_mb': 500.0}
    memory |= {'seconds': 7.0, 'accuracy': 0.9}
    (tmp_path / 'tables-memory.json').write_text(json.dumps([memory]))
    text = write(some, tmp_path, 'python benchmarks/tables')
    assert '| 1,000 | VGCN | 500 | 524,288 | 7 | 90.0 |' in text.splitlines()
    rows = (tmp_path / 'tables.jsonl').read_text().splitlines()
    assert [json.loads(row) for row in rows] == some.rows
