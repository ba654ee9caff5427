"""What a report says is so."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
import torch
from sklearn.datasets import make_blobs
from torch_geometric.data import Data
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    AllPairs,
    Gaussian,
    MultiLabel,
    SmoothedPrior,
    VariationalGraphLearner,
    calibrate,
    fit,
)
from torch_geometric_vgcn.estimators import VGCNClassifier
from torch_geometric_vgcn.prior import ConstantPrior
from torch_geometric_vgcn.report import report
from torch_geometric_vgcn.transforms import KNNGraph

ROWS = 60


class Shown(HTMLParser):
    r"""The text of a page, and the cells of its tables, by row."""

    def __init__(self, content):
        super().__init__()
        self.text, self.tables = '', []
        self.hidden = self.in_cell = False
        self.feed(content)
        self.text = ' '.join(self.text.split())

    def handle_starttag(self, tag, attrs):
        self.hidden = tag in ('script', 'style')
        if tag == 'table':
            self.tables.append([])
        elif tag == 'tr':
            self.tables[-1].append([])
        elif tag in ('td', 'th'):
            self.tables[-1][-1].append('')
            self.in_cell = True

    def handle_endtag(self, tag):
        self.hidden = False
        self.in_cell = self.in_cell and tag not in ('td', 'th')
        self.text += ' '

    def handle_data(self, data):
        if self.hidden:
            return
        self.text += data
        if self.in_cell:
            self.tables[-1][-1][-1] += data.strip()


@pytest.fixture
def shown(tmp_path):
    def told(*arguments):
        path = report(arguments[0], tmp_path / 'report.html', *arguments[1:])
        return Shown(path.read_text(encoding='utf-8'))

    return told


@pytest.fixture(scope='module')
def blobs():
    x, y = make_blobs(ROWS, 4, centers=3, cluster_std=3.0, random_state=1)
    number = torch.arange(ROWS)
    return Data(
        x=torch.from_numpy(x).float(),
        y=torch.from_numpy(y).long(),
        train_mask=number % 3 == 0,
        val_mask=number % 3 == 1,
    )


def trained(data, prior, classes=3, **parts):
    torch.manual_seed(0)
    learner = VariationalGraphLearner(GCN(4, 8, 2, classes), prior, **parts)
    fit(learner, data, epochs=5, progress=False)
    return learner


def knn_learner(blobs):
    data = KNNGraph(k=5)(blobs.clone())
    prior = SmoothedPrior(data.edge_index, ROWS, rho1=0.5)
    return trained(data, prior), data


def classifier(blobs, graph=None, share=3):
    known = np.arange(ROWS) % share > 0
    y = np.where(known, blobs.y.numpy(), -1)
    clf = VGCNClassifier(trust=0.5, n_neighbors=5, max_iter=20, random_state=0)
    return clf.fit(blobs.x.numpy(), y, graph=graph)


def test_nearest_neighbours_are_not_said_to_be_given(blobs, shown):
    text = shown(*knn_learner(blobs)).text
    edges = (KNNGraph(k=5)(blobs.clone()).num_edges) // 2
    assert re.search(rf'\b{edges} \w+ edges', text)
    assert not re.search(r'\bgiven\b', text, re.IGNORECASE)


def test_nearest_neighbours_are_not_drawn_as_given(blobs, browser, tmp_path):
    path = report(*knn_learner(blobs)[:1], tmp_path / 'report.html', blobs)
    with browser.new_context(offline=True) as context:
        tab = context.new_page()
        tab.goto(path.as_uri())
        assert tab.inner_text('#before-title').startswith('Before')
        assert 'given' not in tab.inner_text('body').lower()


def test_a_graph_that_was_given_is_said_to_be(blobs, shown):
    graph = np.stack([np.arange(ROWS - 1), np.arange(1, ROWS)])
    assert f'{ROWS - 1} given edges' in shown(classifier(blobs, graph)).text


def test_a_learner_chooses_nothing(blobs, shown):
    prior = ConstantPrior(AllPairs(ROWS), 1e-4)
    text = shown(trained(blobs, prior), blobs).text
    assert 'chosen' not in text and 'predicted best' not in text
    assert 'No graph was given' not in text
    learner, data = knn_learner(blobs)
    text = shown(learner, data).text
    assert 'chosen' not in text and 'predicted best' not in text


def test_pairs_that_are_not_shown_are_counted(blobs, shown):
    index = torch.tensor([[0, 1, 2], [1, 2, 3]])
    prior = SmoothedPrior(index, ROWS, rho1=0.5, pairs=AllPairs(ROWS))
    text = shown(trained(blobs, prior), blobs).text
    pairs = ROWS * (ROWS - 1) // 2
    assert f'Candidate edges {pairs:,}' in text
    assert f'{pairs - 3:,} new edges were considered' in text


@pytest.mark.parametrize(
    ('likelihood', 'y'),
    [
        (Gaussian(), torch.randn(ROWS)),
        (Gaussian(3), torch.randn(ROWS, 3)),
        (MultiLabel(), (torch.randn(ROWS, 3) > 0).float()),
    ],
    ids=['Gaussian', 'Gaussian of several', 'MultiLabel'],
)
def test_what_has_no_classes_is_refused(blobs, tmp_path, likelihood, y):
    data = blobs.clone()
    data.y = y
    outputs = 1 if y.dim() == 1 else 3
    prior = ConstantPrior(AllPairs(ROWS), 0.1)
    learner = trained(data, prior, outputs, likelihood=likelihood)
    name = type(likelihood).__name__
    with pytest.raises(ValueError, match=f"'model' .*{name}"):
        report(learner, tmp_path / 'report.html', data)
    assert not list(tmp_path.iterdir())


def test_labels_that_fitted_the_temperature_are_said_to_be_the_same(
    blobs, shown
):
    text = shown(classifier(blobs)).text
    measured = text.index('mean negative log-likelihood')
    assert 'temperature' in text[measured : measured + 400]
    learner, data = knn_learner(blobs)
    text = shown(learner, data).text
    measured = text.index('mean negative log-likelihood')
    assert 'val_mask' in text[measured : measured + 400]
    assert 'temperature' not in text[measured : measured + 400]
    found = calibrate(learner, data)
    text = shown(learner, data).text
    assert 'temperature' in text[measured : measured + 400]
    assert f'{found:.2g}' in text[measured : measured + 400]


def means(table):
    names = table[0]
    own, mean = names.index('Predicted'), names.index('Mean confidence')
    return [(int(row[own]), row[mean]) for row in table[1:]]


@pytest.mark.parametrize('share', [2, 3, 1000], ids=str)
def test_labels_are_no_predictions(blobs, shown, share):
    clf = classifier(blobs, share=share)
    (table,) = (
        table
        for table in shown(clf).tables
        if table and 'Mean confidence' in table[0]
    )
    rest = clf.labels_ < 0
    prob = clf.label_distributions_[rest]
    found = prob.argmax(axis=1)
    for place, (number, mean) in enumerate(means(table)):
        mine = prob.max(axis=1)[found == place]
        assert number == mine.size
        expected = f'{100 * mine.mean():.1f}\xa0%' if mine.size else '–'
        assert mean == expected


def test_a_row_with_a_label_is_not_said_to_be_predicted(
    blobs, browser, tmp_path
):
    from playwright.sync_api import expect

    clf = classifier(blobs)
    path = report(clf, tmp_path / 'report.html')
    with browser.new_context(offline=True) as context:
        tab = context.new_page()
        for row in (0, 1):
            tab.goto(f'{path.as_uri()}#row={row}')
            name, about = tab.locator('#focus-name'), tab.locator('#focus')
            expect(name).to_have_text(f'Row {row}')
            expect(about).to_contain_text('label')
            said = 'predicted' in about.inner_text()
            assert said == (clf.labels_[row] < 0)
