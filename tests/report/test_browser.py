r"""The page in a real browser; nothing may be thrown, logged or loaded.

What a test does reaches the page's own code later, most of all a change of
the address: what follows from it is waited for, never read at once.
"""

import json
import re

import numpy as np
import pytest

from torch_geometric_vgcn.report import report
from torch_geometric_vgcn.report.findings import EdgeChanges
from torch_geometric_vgcn.report.page import page

expect = pytest.importorskip(
    'playwright.sync_api', reason='needs the package playwright'
).expect

EVIL = (
    '"\'</script></title><script>alert(1)</script>\n'
    '<img src=x onerror=alert(2)>{{ 7 * 7 }}\u202e&lt;'
)


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


def edges(tab, panel):
    r"""The kinds of the edges that a panel draws at row 4, and of all."""
    return tab.evaluate(
        """(panel) => {
            const all = document.getElementById(panel)._cyreg.cy.edges();
            const own = all.filter((edge) => edge.source().id() === 'n4'
                || edge.target().id() === 'n4');
            return [own, all].map(
                (some) => some.map((edge) => edge.data('kind')));
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


@pytest.mark.parametrize('width', [1280, 390])
def test_a_real_report_with_hostile_texts(show, fitted, tmp_path, width):
    names = [f'{row}{EVIL}' for row in range(60)]
    path = tmp_path / 'fitted.html'
    report(fitted, path, names=names, title=EVIL)
    size = {'width': width, 'height': 900}
    tab = show(path.read_text(encoding='utf-8'), '#row=4', viewport=size)
    assert tab.text_content('h1') == EVIL
    wait_for_row(tab, f'4{EVIL} (row 4)')
    assert tab.inner_text('#before-title') == 'Before: the given graph'
    for panel in ('before', 'after'):
        assert len(nodes(tab, panel)) > 1
    assert tab.locator('svg.chart').count() >= 2
    assert tab.locator('.confusion').count() == 1
    # A single member needs no table:
    assert tab.locator('.trials').count() == (len(fitted.trials_) > 1)
    wait_for_pictures(tab)
    assert tab.evaluate('document.documentElement.scrollWidth') == width


def test_labels_and_names_that_are_scripts_stay_text(show, make):
    findings = make(names=[EVIL] * 12, classes=(EVIL, EVIL, EVIL))
    size = {'width': 390, 'height': 900}
    tab = show(findings, '#row=0', viewport=size)
    wait_for_row(tab, f'{EVIL} (row 0)')
    assert tab.text_content('#focus-name bdi') == EVIL
    wait_for_pictures(tab)
    assert tab.evaluate('document.documentElement.scrollWidth') == 390
    tab.fill('#search', 'alert')
    found = tab.locator('#found li').first
    expect(found).to_be_visible()
    assert EVIL in found.text_content()
    tab.press('#search', 'Enter')
    expect(tab.locator('#found')).to_be_hidden()
    tab.mouse.move(*nodes(tab, 'after').popitem()[1])
    expect(tab.locator('#after')).to_have_attribute(
        'title', re.compile(re.escape(EVIL))
    )
    for table in ('.classes', '.confusion', '.edges', '#neighbours'):
        assert EVIL in tab.locator(table).first.text_content()
    assert tab.locator('script').count() == 3
    assert tab.locator('img:not(.picture)').count() == 0


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
    tab.press('#search', 'Escape')
    expect(tab.locator('#found')).to_be_hidden()


def test_the_graph_before_and_after(show, make):
    tab = show(make(), '#row=4', viewport={'width': 1200, 'height': 900})
    wait_for_row(tab, 'Row 4')
    wait_for(tab, 'scrollY > 0')  # to where it is
    before, after = (nodes(tab, panel) for panel in ('before', 'after'))
    assert set(before) == set(after) == {'4', '2', '3', '5', '6'}
    # Rows have the same place in both panels:
    place = np.array([[found[name] for name in before] for found in
                      (before, after)])  # fmt: skip
    assert np.ptp(place, axis=1).min() > 0
    assert np.ptp(place[1] - place[0], axis=0) == pytest.approx(0, abs=1e-6)
    assert edges(tab, 'before')[0] == ['kept', 'kept']
    own = edges(tab, 'after')[0]
    assert len(own) == 4 and own.count('new') == 2
    assert cells(tab, '#neighbours', 7).all_inner_texts().count('yes') == 2
    # A click on a node moves there, and there is a way back:
    tab.mouse.click(*nodes(tab, 'after')['5'])
    tab.wait_for_url('**#row=5')
    wait_for_row(tab, 'Row 5')
    assert set(nodes(tab, 'before')) == {'5', '3', '4', '6', '7'}
    tab.go_back()
    wait_for_row(tab, 'Row 4')


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


def test_a_graph_without_candidates(show, make):
    found = make().edges
    zero = np.zeros(len(found))
    tab = show(
        make(edges=EdgeChanges(found.index, zero, zero, found.given)), '#row=4'
    )
    assert 'No edges were considered' in tab.inner_text('#graph')
    assert edges(tab, 'before')[1] and not edges(tab, 'after')[1]
    none = EdgeChanges(found.index[:, :0], zero[:0], zero[:0], found.given[:0])
    tab = show(make(edges=none))
    assert tab.is_hidden('#explorer')
    assert 'No edges were considered' in tab.inner_text('#graph')


def test_light_dark_and_paper(show, make):
    tab = show(make(), color_scheme='dark')
    colour = """document.getElementById('after')._cyreg.cy.nodes()[0]
        .style('color')"""
    class_colour = """getComputedStyle(document.documentElement)
        .getPropertyValue('--c0').trim()"""
    dark = [tab.evaluate(code) for code in (colour, class_colour)]
    wait_for_pictures(tab)
    tab.emulate_media(media='print')
    expect(tab.locator('.picture').first).to_be_visible()
    expect(tab.locator('#after')).to_be_hidden()
    expect(tab.locator('#search')).to_be_hidden()
    tab.emulate_media(media='screen', color_scheme='light')
    wait_for(tab, f'({colour}) !== "{dark[0]}"')
    assert tab.evaluate(class_colour) != dark[1]


def test_a_narrow_page_does_not_scroll_sideways(show, make):
    long = [f'a very long name of a row that goes on, {i}' for i in range(12)]
    tab = show(
        make(names=long, classes=[name[:40] for name in long[:3]]),
        viewport={'width': 360, 'height': 700},
    )
    wait_for_pictures(tab)  # the last that the page does by itself
    assert tab.evaluate('document.documentElement.scrollWidth') == 360
    assert tab.evaluate('document.documentElement.clientWidth') == 360


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
