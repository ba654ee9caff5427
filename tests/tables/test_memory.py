import json

import memory
import numpy as np
import pytest
from manifold import manifold


def test_the_manifold():
    x, truth, y = manifold(2000, labelled=0.1)
    assert x.shape == (2000, 50) and set(truth) == set(range(12))
    assert 150 < (y >= 0).sum() < 250
    assert np.array_equal(y[y >= 0], truth[y >= 0])
    assert np.array_equal(x, manifold(2000)[0])


def test_peak_memory_and_time(tmp_path):
    text = memory.write([2000], ['LabelSpreading'], tmp_path)
    (row,) = json.loads((tmp_path / 'tables-memory.json').read_text())
    assert row['accuracy'] > 0.2 and row['seconds'] > 0
    assert 50 < row['peak_mb'] < 2000
    assert '| 2,000 | LabelSpreading | ' in text
    # Measured again, it replaces the figure:
    memory.write([2000], ['LabelSpreading'], tmp_path)
    assert len(json.loads((tmp_path / 'tables-memory.json').read_text())) == 1


@pytest.mark.parametrize(
    'rows, gigabytes, minutes, reason',
    [
        (3_000_000, 2.0, 10.0, 'out of memory (2 GB)'),
        (100_000, 8.0, 1 / 60, 'more than 0.0166667 minutes'),
    ],
)
def test_failures_are_results(rows, gigabytes, minutes, reason):
    row = memory.measure('LabelSpreading', rows, gigabytes, minutes)
    assert row['failed'] == reason and 'accuracy' not in row
    assert reason in memory.memory_table([row])


def test_a_mistake_is_no_result():
    with pytest.raises(RuntimeError, match='failed with code 1'):
        memory.measure('LabelSpreading', -1)
