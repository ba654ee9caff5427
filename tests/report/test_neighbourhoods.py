import base64

import numpy as np

from torch_geometric_vgcn.report.neighbourhoods import neighbourhoods

KINDS = {
    'row': '<u4', 'whole': '<u1', 'label': '<i4', 'predicted': '<i4',
    'confidence': '<u2', 'count': '<u4', 'right': '<u4', 'prior': '<u2',
    'posterior': '<u2',
}  # fmt: skip


def unpacked(found):
    return found | {
        name: np.frombuffer(base64.b64decode(found[name]), kind)
        for name, kind in KINDS.items()
    }


def edges_of(found):
    r"""The edges with their numbers in the table."""
    left = np.repeat(found['row'], found['count'])
    right = found['row'][found['right'] % 2**31]
    return list(zip(left.tolist(), right.tolist(), strict=True))


def test_all_rows_and_edges_come_back(make):
    findings = make(names=[f'row {row}' for row in range(12)])
    found = unpacked(neighbourhoods(findings, np.array([5]), limit=100))
    edges = findings.edges
    assert edges_of(found) == list(map(tuple, edges.index.T.tolist()))
    assert ((found['right'] >= 2**31) == edges.given).all()
    assert abs(found['prior'] / 65535 - edges.prior).max() < 1e-5
    assert abs(found['posterior'] / 65535 - edges.posterior).max() < 1e-5
    assert (found['label'] == findings.label).all()
    assert (found['predicted'] == findings.predicted).all()
    assert found['names'] == findings.names
    assert found['whole'].all() and found['start'] == 5


def test_of_a_large_graph_some_neighbourhoods_are_whole(make):
    findings = make(n=1000)
    found = unpacked(neighbourhoods(findings, np.array([500]), limit=200))
    whole = set(found['row'][found['whole'] == 1].tolist())
    assert found['numRows'] == 1000
    assert len(whole) == found['numWhole'] > 40
    assert len(edges_of(found)) <= 200
    # The rows next to the first one:
    assert whole == set(range(min(whole), max(whole) + 1)) and 500 in whole
    every = set(map(tuple, findings.edges.index.T.tolist()))
    assert set(edges_of(found)) == {e for e in every if set(e) & whole}


def test_rows_that_nothing_joins_may_be_whole(make):
    findings = make(n=50)
    found = unpacked(neighbourhoods(findings, np.array([], int), limit=80))
    assert 0 < found['numWhole'] < 50
