import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

from torch_geometric_vgcn.report.findings import HeldOut
from torch_geometric_vgcn.report.page import page

FOLDER = files('torch_geometric_vgcn.report')
HOSTILE = [
    '<script>alert(1)</script>', '</script><script>alert(2)//', '<!--<script>',
    '" onmouseover="alert(3)', "'><img src=x onerror=alert(4)>", '&lt;b&gt;',
    ']]>', '\u2028\u2029', '{{ 7 * 7 }}', '{% raw %}', '{# gone #}', '$title',
    'two\nlines\ttab', '\u202eleft', '</style>', '</title>', 'javascript:1',
    '\U0001f600', '\\u003c"\\',
]  # fmt: skip


class Parsed(HTMLParser):
    r"""The elements of a page, what scripts hold, and its text."""

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

    @property
    def shape(self):
        return [(tag, set(attributes)) for tag, attributes in self.elements]


def hostile_page(make, text):
    r"""A page with a text wherever a text of somebody can be."""
    findings = make(
        names=[text] * 12,
        classes=(text, 'b', 'c'),
        settings={text: text},
        caution=text,
    )
    findings.members[0]['member'] = text
    return page(findings, text)


@pytest.mark.parametrize('text', HOSTILE)
def test_texts_stay_texts(make, text):
    parsed, plain = (Parsed(hostile_page(make, t)) for t in (text, 'plain'))
    assert parsed.shape == plain.shape
    # The first letter of a member is a capital one:
    shown = parsed.text.lower().count(text.lower())
    assert shown == plain.text.lower().count('plain') > 50
    for attribute in ('title', 'data-value'):
        values = [
            attributes.get(attribute) for _, attributes in parsed.elements
        ]
        other = [attributes.get(attribute) for _, attributes in plain.elements]
        assert values.count(text) == other.count('plain') > 0
    data = json.loads(parsed.scripts[0])
    assert data['names'] == [text] * 12 and data['classes'][0] == text
    assert not set('<>&\u2028\u2029') & set(parsed.scripts[0])


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
    folder = FOLDER.joinpath('vendor')
    content = folder.joinpath('cytoscape.min.js').read_bytes()
    told = folder.joinpath('README.md').read_text(encoding='utf-8')
    assert hashlib.sha256(content).hexdigest() in told
    version = re.search(rb'\.version="([\d.]+)"', content)[1].decode()
    assert f'| {version} |' in told
    licence = folder.joinpath('cytoscape.LICENSE').read_text(encoding='utf-8')
    assert 'Permission is hereby granted, free of charge' in licence


def test_no_script_of_ours_can_end_its_element():
    scripts = [
        file.read_text(encoding='utf-8').lower()
        for name in ('web', 'vendor')
        for file in FOLDER.joinpath(name).iterdir()
        if file.name.endswith('.js')
    ]
    assert len(scripts) == 7
    for content in scripts:
        assert '</script' not in content and '<!--' not in content


@pytest.mark.parametrize(
    ('given', 'titles'),
    [
        (True, ['Most distrusted given edges', 'Strongest new edges']),
        (False, ['Edges that lost most', 'Edges that gained most']),
    ],
)
def test_tables_say_what_they_list(make, given, titles):
    content = page(make(given=given), 'title')
    assert content == page(make(given=given), 'title')
    for title in titles:
        assert f'<h3>{title}</h3>' in content


def test_a_given_graph_that_was_not_used_is_not_said_to_be_distrusted(make):
    findings = make()
    edges = findings.edges
    given = np.flatnonzero(edges.given)
    prior, posterior = edges.prior.copy(), edges.posterior.copy()
    prior[given[1:]] = posterior[given[1:]] = 0.0  # one is a candidate, too
    rejected = replace(edges, prior=prior, posterior=posterior)
    content = page(replace(findings, edges=rejected), 'title')
    assert f'The given graph ({given.size} edges) was not used' in content
    assert '<h3>Edges that lost most</h3>' in content
    assert 'was not used' not in page(findings, 'title')


def test_histograms_count_edges(make):
    findings = make(given=False)
    edges = findings.edges
    tips = re.findall(
        r'<title>(0\.\d+) to (\d\.\d+): (\d+) before, (\d+) learned</title>',
        page(findings, 'title'),
    )
    assert len(tips) == 20
    for low, high, before, after in tips:
        for prob, number in ((edges.prior, before), (edges.posterior, after)):
            inside = (prob >= float(low)) & (prob < float(high))
            assert inside.sum() == int(number)


def test_without_held_out_labels_it_says_so(make):
    findings = make()
    none = HeldOut(findings.label[:0], findings.prob[:0])
    content = page(replace(findings, held_out=none, members=()), 'title')
    assert 'the accuracy is not known' in content
    assert 'class="trials"' not in content
    assert 'class="confusion' not in content


def test_many_classes_are_merged(make):
    classes = [f'class {c}' for c in range(40)]
    content = page(make(n=400, classes=classes), 'title')
    assert '21 others' in content


def test_probabilities_never_round_to_certainty(make):
    findings = make()
    edges = findings.edges
    edges.prior[:], edges.posterior[:] = 1e-9, 1 - 1e-9
    content = page(findings, 'title')
    cells = set(re.findall(r'<td data-value="[\d.e-]+">(.*?)</td>', content))
    assert {'&lt;\xa00.001', '&gt;\xa00.999'} <= cells
    assert not cells & {'0.000', '1.000'}
