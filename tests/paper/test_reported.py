import reported
from systems import SYSTEMS


def row(seed, test_acc):
    key = {'system': 'GCN', 'dataset': 'Cora', 'split': 'public'}
    return {**key, 'run': seed, 'test_acc': test_acc}


def test_whatever_was_reported_can_be_run():
    assert set(reported.REPORTED) <= {system.title for system in SYSTEMS}


def test_table_compares_means_with_what_was_reported():
    line = reported.table([row(0, 0.81), row(1, 0.83)]).splitlines()[-1]
    assert line.startswith(
        '| GCN | Cora | public | 81.5 | Kipf and Welling 2017'
    )
    assert line.endswith('| 82.0 ± 1.4 | +0.5 |')


def test_table_leaves_out_what_has_not_run():
    assert len(reported.table([row(0, 0.81)]).splitlines()) == 3
