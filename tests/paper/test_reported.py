from pathlib import Path

import pytest

pytest.importorskip('matplotlib')

import reported
from cases import Case
from page import Page
from systems import SYSTEMS


def page(*accuracies):
    case = Case('Cora', 'true', 'public')
    key = {'system': 'GCN', **vars(case)}
    rows = [{**key, 'test_acc': acc} for acc in accuracies]
    return Page('reported', Path(), (case,), ('GCN',), rows)


def test_each_reported_system_can_be_run():
    assert set(reported.REPORTED) <= {system.title for system in SYSTEMS}


def test_table_compares_means_with_reported_accuracies():
    line = reported.table(page(0.81, 0.83)).splitlines()[-1]
    assert line.startswith(
        '| GCN | Cora | public | 81.5 | Kipf and Welling 2017'
    )
    assert line.endswith('| 82.0 ± 1.4 | +0.5 |')


def test_table_omits_systems_without_results():
    lines = reported.table(page(0.81)).splitlines()
    assert len(lines) == 3 and lines[-1].endswith('| 81.0 | -0.5 |')
