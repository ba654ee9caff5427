"""The site is built without a warning, and looked at in a browser."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.slow


@pytest.fixture(scope='module')
def site(tmp_path_factory):
    pytest.importorskip('sphinx', reason="needs pip install '.[docs]'")
    folder = tmp_path_factory.mktemp('site')
    options = ('-W', '--keep-going', '-q', '-D', 'nb_execution_mode=off')
    command = [sys.executable, '-m', 'sphinx', *options, 'docs', str(folder)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return folder


def test_nothing_is_loaded_from_elsewhere(site):
    loaded = re.compile(r'<(?:script|link|img|iframe)[^>]*https?://[^>]*>')
    for page in site.rglob('*.html'):
        assert loaded.findall(page.read_text(encoding='utf-8')) == [], page


def wait_until_set(tab):
    r"""Waits for the formulas and fonts of a page, which change its width."""
    from playwright.sync_api import expect

    expect(tab.locator('.math:not(:has(mjx-container))')).to_have_count(0)
    tab.evaluate('document.fonts.ready.then(() => null)')


def test_formulas_are_set(site, browser):
    with browser.new_context(offline=True) as context:
        tab = context.new_page()
        tab.goto((site / 'model.html').as_uri())
        wait_until_set(tab)
        formulas = tab.locator('.math').count()
        assert formulas > 20
        assert tab.locator('.math mjx-container').count() == formulas
        assert tab.locator('mjx-merror').count() == 0


@pytest.mark.parametrize('width', [1280, 390])
def test_no_page_is_wider_than_the_screen(site, browser, width):
    size = {'width': width, 'height': 800}
    with browser.new_context(offline=True, viewport=size) as context:
        asked = []
        tab = context.new_page()
        tab.on('request', lambda request: asked.append(request.url))
        wide = []
        for page in sorted(site.rglob('*.html')):
            tab.goto(page.as_uri())
            wait_until_set(tab)
            if tab.evaluate('document.documentElement.scrollWidth') > width:
                wide.append(page.relative_to(site).as_posix())
    assert wide == []
    assert all(url.startswith(('file:', 'data:')) for url in asked)
