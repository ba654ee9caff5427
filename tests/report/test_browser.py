r"""The page in a real browser; nothing may be thrown, logged or loaded.

What a test does reaches the page's own code later, most of all a change of
the address: what follows from it is waited for, never read at once.
"""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from torch_geometric_vgcn import VGCN
from torch_geometric_vgcn.recipe import (
    Effort,
    FixedMember,
    LearnedMember,
    given_graph,
    no_graph,
)
from torch_geometric_vgcn.report import report
from torch_geometric_vgcn.report.edges import EdgeChanges
from torch_geometric_vgcn.report.page import page

expect = pytest.importorskip(
    'playwright.sync_api', reason='needs the package playwright'
).expect

EVIL = '<script>alert(1)</script><img src=x onerror=alert(2)>'
#: A colour of a class in the light and in the dark.
LIGHT, DARK = '#0072b2', '#4aa3df'


def nodes(tab, panel):
    r"""The rows that a panel draws, by name, with their places on the page."""
    return tab.evaluate(
        """async (panel) => {
            const element = document.getElementById(panel);
            element.scrollIntoView({ behavior: 'instant' });
            // Until the page itself knows that it was scrolled:
            const frame = () => new Promise(requestAnimationFrame);
            await frame();
            await frame();
            const box = element.getBoundingClientRect();
            return Object.fromEntries(element._cyreg.cy.nodes().map((node) => {
                const at = node.renderedPosition();
                const place = [box.x + at.x, box.y + at.y];
                return [node.data('name'), place];
            }));
        }""",
        panel,
    )


def wait_for(tab, condition):
    r"""As `Page.wait_for_function`, which the page's own policy forbids."""
    for _ in range(600):
        if tab.evaluate(condition):
            return
        tab.wait_for_timeout(50)
    raise AssertionError(f'never true: {condition}')


def wait_for_row(tab, title):
    wait_for(
        tab,
        "document.getElementById('focus-name').textContent === "
        + json.dumps(title),
    )


def cells(tab, table, number):
    r"""The cells of a column."""
    return tab.locator(f'{table} tbody tr td:nth-child({number})')


def wait_for_order(tab, table, number, **kwargs):
    r"""Waits until the numbers in a column are sorted."""
    cell = cells(tab, table, number)
    expect(cell).to_have_text(sorted(cell.all_inner_texts(), **kwargs))


def wait_for_pictures(tab):
    wait_for(
        tab,
        """[...document.querySelectorAll('.picture')].every(
            (picture) => picture.naturalWidth > 0)""",
    )


def test_a_real_report_renders(show, fitted, tmp_path):
    path = report(fitted, tmp_path / 'fitted.html', title='Blobs')
    tab = show(path.read_text(encoding='utf-8'))
    assert tab.title() == 'Blobs'
    expect(tab.locator('#focus-name')).to_have_text(re.compile('^Row '))
    assert tab.inner_text('#before-title') == 'Before: the given graph'
    for panel in ('before', 'after'):
        assert len(nodes(tab, panel)) > 1
    assert tab.locator('svg.chart').count() >= 2
    assert tab.locator('.confusion').count() == 1
    # A single member needs no table:
    assert tab.locator('.trials').count() == (len(fitted.trials_) > 1)


@pytest.mark.parametrize('width', [1280, 390])
def test_the_report_of_the_one_call_renders(show, tmp_path, width):
    node = torch.arange(30)
    data = Data(x=torch.rand(30, 4), y=node % 3)
    data.node_names = [f'{n}{EVIL}' for n in range(30)]
    data.edge_index = torch.stack([node, (node + 1) % 30])
    effort = Effort(2, 2, warmup=1, folds=2, num_samples=2)
    members = [
        FixedMember('no graph', no_graph),
        LearnedMember('given', given_graph),
    ]
    model = VGCN(data, members=members, effort=effort, progress=False).fit()
    path = model.report(tmp_path / 'out.html', title=EVIL)
    size = {'width': width, 'height': 900}
    content = path.read_text(encoding='utf-8')
    tab = show(content, '#row=4', viewport=size)
    assert tab.title() == EVIL
    wait_for_row(tab, f'4{EVIL} (row 4)')
    assert len(nodes(tab, 'after')) > 1
    assert tab.locator('.trials tbody tr').count() == 2
    assert tab.evaluate('document.documentElement.scrollWidth') == width


def test_the_search_finds_rows_by_number_name_and_class(show, make):
    names = [f'person {chr(97 + row)}' for row in range(12)]
    tab = show(make(names=names, classes=('ham', 'spam', 'eggs')))
    tab.fill('#search', '7')
    tab.press('#search', 'Enter')
    wait_for_row(tab, 'person h (row 7)')
    tab.fill('#search', 'PERSON C')
    tab.click('#found li')
    wait_for_row(tab, 'person c (row 2)')
    tab.fill('#search', 'spa')
    expect(tab.locator('#found li').first).to_contain_text('spam')
    found = tab.locator('#found li').all_inner_texts()
    assert len(found) <= 8
    tab.press('#search', 'ArrowDown')
    tab.press('#search', 'Enter')
    wait_for_row(tab, found[1].split('\n')[0].strip())
    tab.fill('#search', 'nobody')
    expect(tab.locator('#found')).to_have_text('No row found')
    tab.press('#search', 'Enter')
    tab.press('#search', 'Escape')
    expect(tab.locator('#found')).to_be_hidden()


def test_a_click_on_a_node_moves_there_and_back(show, make):
    tab = show(make(), '#row=4')
    wait_for_row(tab, 'Row 4')
    wait_for(tab, 'scrollY > 0')  # to where it is
    assert set(nodes(tab, 'after')) == {'4', '2', '3', '5', '6'}
    assert nodes(tab, 'before').keys() == nodes(tab, 'after').keys()
    tab.mouse.click(*nodes(tab, 'after')['5'])
    tab.wait_for_url('**#row=5')
    wait_for_row(tab, 'Row 5')
    assert set(nodes(tab, 'before')) == {'5', '3', '4', '6', '7'}
    tab.go_back()
    wait_for_row(tab, 'Row 4')


def test_rows_have_the_same_place_in_both_panels(show, make):
    tab = show(make(), '#row=4', viewport={'width': 1200, 'height': 900})
    places = []
    for panel in ('before', 'after'):
        found = nodes(tab, panel)
        x, y = found['4']
        places += [{n: a - x for n, (a, b) in found.items()}]
        places += [{n: b - y for n, (a, b) in found.items()}]
    assert places[:2] != [dict.fromkeys(places[0], 0)] * 2
    for before, after in zip(places[:2], places[2:], strict=True):
        assert before == pytest.approx(after)


def test_the_given_graph_is_before_and_all_is_after(show, make):
    tab = show(make(), '#row=4')
    edges = """(panel) => document.getElementById(panel)._cyreg.cy.edges()
        .filter((edge) => [edge.source().id(), edge.target().id()]
            .includes('n4')).map((edge) => edge.data('kind')).sort()"""
    assert tab.evaluate(edges, 'before') == ['kept', 'kept']
    after = tab.evaluate(edges, 'after')
    assert len(after) == 4 and after.count('new') == 2
    assert cells(tab, '#neighbours', 7).all_inner_texts().count('yes') == 2


def test_links_in_tables_move_and_tables_sort(show, make):
    tab = show(make())
    link = tab.locator('.edges a').first
    row = link.inner_text()
    link.click()
    wait_for_row(tab, f'Row {row}')
    table = '.edges:first-child table'
    tab.click(f'{table} th:nth-child(3) button')
    wait_for_order(tab, table, 3, key=float)
    tab.click(f'{table} th:nth-child(3) button')
    wait_for_order(tab, table, 3, key=float, reverse=True)
    tab.click('#neighbours th:nth-child(1) button')
    wait_for_order(tab, '#neighbours', 1, key=int)
    row = cells(tab, '#neighbours', 1).first.inner_text()
    tab.click('#neighbours a >> nth=0')
    wait_for_row(tab, f'Row {row}')
    wait_for_order(tab, '#neighbours', 1, key=int)  # still


def test_a_label_that_is_a_script_stays_text(show, make):
    findings = make(names=[EVIL] * 12, classes=(EVIL, 'b', 'c'))
    tab = show(findings, '#row=0')
    wait_for_row(tab, f'{EVIL} (row 0)')
    tab.fill('#search', 'alert')
    expect(tab.locator('#found li').first).to_contain_text(EVIL)
    tab.press('#search', 'Enter')
    expect(tab.locator('#found')).to_be_hidden()
    tab.mouse.move(*nodes(tab, 'after').popitem()[1])
    expect(tab.locator('#after')).to_have_attribute(
        'title', re.compile(re.escape(EVIL))
    )
    assert EVIL in tab.inner_text('.classes')
    assert EVIL in tab.inner_text('.confusion')
    assert tab.locator('script').count() == 3
    assert tab.locator('img:not(.picture)').count() == 0


def test_without_edges_there_is_nothing_to_explore(show, make):
    found = make()
    edges = found.edges
    none = EdgeChanges(
        edges.index[:, :0],
        edges.prior[:0],
        edges.posterior[:0],
        edges.given[:0],
    )
    tab = show(replace(found, edges=none, choice='no graph, light'))
    assert tab.is_hidden('#explorer')
    assert 'No graph was chosen' in tab.inner_text('#graph')


def test_a_given_graph_that_was_not_chosen_is_there_to_see(show, make):
    found = make()
    zero = np.zeros(len(found.edges))
    edges = EdgeChanges(found.edges.index, zero, zero, found.edges.given)
    found = replace(found, edges=edges, choice='no graph, light')
    tab = show(found, '#row=4')
    assert 'No graph was chosen' in tab.inner_text('#graph')
    count = (
        '(panel) => document.getElementById(panel)._cyreg.cy.edges().length'
    )
    assert tab.evaluate(count, 'before') > 0
    assert tab.evaluate(count, 'after') == 0


@pytest.mark.parametrize(
    ('scheme', 'colour'), [('light', LIGHT), ('dark', DARK)]
)
def test_light_and_dark(show, make, scheme, colour):
    tab = show(make(), color_scheme=scheme)
    found = tab.evaluate(
        """getComputedStyle(document.documentElement)
            .getPropertyValue('--c0').trim()"""
    )
    assert found == colour
    other = 'dark' if scheme == 'light' else 'light'
    drawn = """document.getElementById('after')._cyreg.cy.nodes()[0]
        .style('color')"""
    before = tab.evaluate(drawn)
    tab.emulate_media(color_scheme=other)
    wait_for(tab, f'({drawn}) !== "{before}"')


def test_a_narrow_page_does_not_scroll_sideways(show, make):
    long = [f'a very long name of a row that goes on, {i}' for i in range(12)]
    tab = show(
        make(names=long, classes=[name[:40] for name in long[:3]]),
        viewport={'width': 360, 'height': 700},
    )
    wait_for_pictures(tab)  # the last that the page does by itself
    assert tab.evaluate('document.documentElement.scrollWidth') == 360
    assert tab.evaluate('document.documentElement.clientWidth') == 360


def test_paper_has_pictures_of_the_graphs(show, make):
    tab = show(make(), color_scheme='dark')
    wait_for_pictures(tab)
    tab.emulate_media(media='print')
    expect(tab.locator('.picture').first).to_be_visible()
    expect(tab.locator('#after')).to_be_hidden()
    expect(tab.locator('#search')).to_be_hidden()


def test_a_hundred_thousand_rows_open(show, make):
    n = 100_000
    tab = show(make(n=n, names=[f'person {row}' for row in range(n)]))
    tab.fill('#search', 'person 98765')
    tab.press('#search', 'Enter')
    wait_for_row(tab, 'person 98765 (row 98765)')
    assert len(nodes(tab, 'after')) == 5
    assert tab.inner_text('#status') == ''


def test_part_of_a_graph_says_so(show, make):
    tab = show(page(make(n=1000), 'A part', limit=100))
    assert tab.inner_text('#status') == ''
    edge = tab.evaluate(
        """() => {
            const text = document.getElementById('data').textContent;
            const graph = new Graph(JSON.parse(text));
            return graph.row[graph.whole.indexOf(0)];
        }"""
    )
    tab.fill('#search', str(edge))
    tab.press('#search', 'Enter')
    wait_for_row(tab, f'Row {edge}')
    status = tab.locator('#status')
    expect(status).to_contain_text('this row has more neighbours')
    tab.evaluate('location.hash = "row=999999"')
    expect(status).to_have_text('This row is not part of this page.')
