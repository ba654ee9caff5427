import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torch_geometric_vgcn.report.held_out import HeldOut
from torch_geometric_vgcn.report.markup import as_json, probability, text
from torch_geometric_vgcn.report.page import page

EVIL = [
    '<script>alert(1)</script>', '</script><script>alert(2)//', '<!--<script>',
    '" onmouseover="alert(3)', "'><img src=x onerror=alert(4)>", '&lt;b&gt;',
    ']]>', '\u2028', '${title}', '$title', '{{7*7}}', '\U0001f600',
]  # fmt: skip


class Parsed(HTMLParser):
    r"""The elements of a page, and what scripts hold."""

    def __init__(self, content):
        super().__init__()
        self.elements, self.scripts, self.text = [], [], ''
        self.feed(content)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == 'script':
            self.scripts.append('')

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] == 'script':
            self.scripts[-1] += data
        else:
            self.text += data

    def handle_endtag(self, tag):
        self.elements.append(('/', {}))


def counted(parsed):
    return [tag for tag, _ in parsed.elements]


@given(st.text())
def test_texts_stay_texts(value):
    parsed = Parsed(f'<p title="{text(value)}">')
    assert parsed.elements == [('p', {'title': value})]
    found = as_json(value)
    assert json.loads(found) == value
    assert not set('<>&\u2028\u2029') & set(found)


def test_names_and_classes_change_no_element(make):
    plain = page(make(classes=['a', 'b', 'c'], names=['x'] * 12), 'title')
    names = (EVIL * 2)[:12]
    evil = page(make(classes=EVIL[:3], names=names), EVIL[0])
    left, right = Parsed(plain), Parsed(evil)
    assert counted(left) == counted(right)
    for (_, before), (_, after) in zip(
        left.elements, right.elements, strict=True
    ):
        assert set(before) == set(after)
    data = json.loads(right.scripts[0])
    assert data['names'] == names and data['classes'] == EVIL[:3]
    assert EVIL[0] in right.text


def test_settings_and_trials_are_escaped_too(make):
    evil = make(settings={EVIL[0]: EVIL[1]})
    evil.trials[1]['setting'] = EVIL[4]
    parsed = Parsed(page(evil, 'title'))
    assert counted(parsed).count('script') == 3
    assert counted(parsed).count('img') == 2  # our own
    assert EVIL[1] in parsed.text and EVIL[4] in parsed.text


def test_nothing_is_loaded_and_only_our_scripts_run(make):
    parsed = Parsed(page(make(), 'title'))
    for tag, attributes in parsed.elements:
        assert 'src' not in attributes
        assert tag not in ('link', 'iframe', 'object', 'base')
        assert attributes.get('href', '#').startswith('#')
        assert not [name for name in attributes if name.startswith('on')]
    policy = next(
        attributes['content']
        for tag, attributes in parsed.elements
        if attributes.get('http-equiv') == 'Content-Security-Policy'
    )
    assert policy.startswith("default-src 'none'")
    for script in parsed.scripts[1:]:
        digest = hashlib.sha256(script.encode()).digest()
        assert f"'sha256-{base64.b64encode(digest).decode()}'" in policy


def test_the_library_is_the_one_that_is_documented():
    folder = files('torch_geometric_vgcn.report').joinpath('vendor')
    content = folder.joinpath('cytoscape.min.js').read_bytes()
    told = folder.joinpath('README.md').read_text(encoding='utf-8')
    assert hashlib.sha256(content).hexdigest() in told
    version = re.search(rb'\.version="([\d.]+)"', content)[1].decode()
    assert f'| {version} |' in told
    licence = folder.joinpath('cytoscape.LICENSE').read_text(encoding='utf-8')
    assert 'Permission is hereby granted, free of charge' in licence


def test_no_script_of_ours_can_end_its_element():
    folder = files('torch_geometric_vgcn.report')
    for name in ('web', 'vendor'):
        for file in folder.joinpath(name).iterdir():
            if file.name.endswith('.js'):
                content = file.read_text(encoding='utf-8').lower()
                assert '</script' not in content and '<!--' not in content


def test_the_same_findings_give_the_same_page(make):
    assert page(make(), 'title') == page(make(), 'title')


@pytest.mark.parametrize(
    ('given', 'titles'),
    [
        (True, ['Most distrusted given edges', 'Strongest new edges']),
        (False, ['Edges that lost most', 'Edges that gained most']),
    ],
)
def test_tables_say_what_they_list(make, given, titles):
    content = page(make(given=given), 'title')
    for title in titles:
        assert f'<h3>{title}</h3>' in content


def test_a_given_graph_that_was_rejected_is_not_said_to_be_distrusted(make):
    findings = make()
    edges = findings.edges
    given = np.flatnonzero(edges.given)
    prior, posterior = edges.prior.copy(), edges.posterior.copy()
    prior[given[1:]] = posterior[given[1:]] = 0.0  # one is a candidate, too
    rejected = replace(edges, prior=prior, posterior=posterior)
    content = page(replace(findings, edges=rejected), 'title')
    assert f'The given graph ({given.size} edges) was not chosen' in content
    assert '<h3>Edges that lost most</h3>' in content
    assert 'was not chosen' not in page(findings, 'title')


def test_without_held_out_labels_it_says_so(make):
    findings = make()
    none = HeldOut(findings.label[:0], findings.prob[:0])
    content = page(replace(findings, held_out=none, trials=()), 'title')
    assert 'the accuracy is not known' in content
    assert 'none could be held out to choose by' in content
    assert 'class="trials"' not in content
    assert 'class="confusion' not in content


def test_many_classes_are_merged(make):
    classes = [f'class {c}' for c in range(40)]
    content = page(make(n=400, classes=classes), 'title')
    assert '21 others' in content


def test_probabilities_never_round_to_certainty():
    assert probability(1e-9) == '&lt;\xa00.001'
    assert probability(1 - 1e-9) == '&gt;\xa00.999'
    assert probability(0.25) == '0.250'
