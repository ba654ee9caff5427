import numpy as np
import pytest
import torch
from sklearn.datasets import make_blobs

from torch_geometric_vgcn.estimators import VGCNClassifier
from torch_geometric_vgcn.report.findings import (
    EdgeChanges,
    Findings,
    HeldOut,
)
from torch_geometric_vgcn.report.page import page


@pytest.fixture
def make():
    r"""Makes findings about a ring of rows, each joined with the next two:
    the edges to the next one are given, those to the one after are new.
    """

    def findings(n=12, given=True, classes=('a', 'b', 'c'), **others):
        rng = np.random.default_rng(0)
        rows = np.arange(n)
        ends = np.stack([np.tile(rows, 2), np.tile(rows, 2)])
        ends[1] = (ends[1] + np.repeat([1, 2], n)) % n
        ends.sort(axis=0)
        order = np.lexsort(ends[::-1])
        prob = rng.dirichlet(np.ones(len(classes)), n)
        label = np.where(rows % 3 == 0, rows % len(classes), -1)
        held = np.flatnonzero(label >= 0)
        figures = {'nll': 1.0, 'weight': 0.5, 'weight_se': 0.1}
        members = [
            {'member': 'some', 'accuracy': 0.5, **figures},
            {'member': 'none', 'accuracy': 0.25, **figures},
        ]
        found = {
            'classes': classes,
            'label': label,
            'prob': prob,
            'edges': EdgeChanges(
                ends[:, order],
                rng.uniform(0.1, 0.9, 2 * n),
                rng.uniform(0.1, 0.9, 2 * n),
                given & np.repeat([True, False], n)[order],
            ),
            'held_out': HeldOut(label[held], prob[held]),
            'members': members,
        }
        return Findings(**(found | others))

    return findings


@pytest.fixture(scope='session')
def fitted():
    r"""A classifier that got a path as its graph, which is half wrong."""
    x, y = make_blobs(60, 4, centers=3, cluster_std=3.0, random_state=1)
    clf = VGCNClassifier(trust=0.5, n_neighbors=3, max_iter=20, random_state=0)
    order = np.argsort(y, kind='stable')
    path = np.stack([order[:-1], order[1:]])
    path[1, ::2] = np.random.RandomState(0).permutation(60)[:30]
    path = path[:, path[0] != path[1]]
    names = np.array(['red', 'green', 'blue'])
    known = np.random.RandomState(0).rand(60) < 0.4
    graph = torch.from_numpy(path)
    return clf.fit(x, np.where(known, names[y], ''), graph=graph)


@pytest.fixture
def show(browser, tmp_path):
    r"""Opens a page from a file, without a network, and fails if anything is
    thrown, logged, asked or loaded.
    """
    told, contexts = [], []

    def opened(content, address='', **options):
        path = tmp_path / 'report.html'
        if not isinstance(content, str):
            content = page(content, 'A page')
        path.write_text(content, encoding='utf-8')
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.on('console', lambda message: told.append(message.text))
        tab.on('pageerror', lambda error: told.append(str(error)))
        tab.on('dialog', lambda dialog: told.append(dialog.message))
        tab.on(
            'request',
            lambda request: (
                None
                if request.url.startswith(('file://', 'data:'))
                else told.append(request.url)
            ),
        )
        tab.goto(path.as_uri() + address)
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert told == []
