"""Links inside the repository lead to files and headings that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    ROOT / 'README.md',
    ROOT / 'CHANGELOG.md',
    *sorted(ROOT.glob('docs/**/*.md')),
]
PAGES = [page for page in PAGES if '_build' not in page.parts]
FENCED = re.compile(r'^```.*?^```', re.DOTALL | re.M)
CODE = re.compile(r'^```.*?^```|^    .*?$|`[^`\n]*`', re.DOTALL | re.M)
LINK = re.compile(r'\]\(([^)\s]+)\)')


def anchors(page):
    r"""The anchors of a page's headings, as GitHub and MyST make them."""
    text = FENCED.sub('', page.read_text(encoding='utf-8'))
    for heading in re.findall(r'^#+ (.*)$', text, re.M):
        heading = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading).lower()
        yield re.sub(r'[^\w\- ]', '', heading).strip().replace(' ', '-')


def broken(page):
    text = CODE.sub('', page.read_text(encoding='utf-8'))
    for link in LINK.findall(text):
        if re.match(r'[a-z]+:', link):  # to another site
            continue
        path, _, anchor = link.partition('#')
        target = page.parent / path if path else page
        if not target.exists():
            yield link
        elif anchor and anchor not in set(anchors(target)):
            yield link


@pytest.mark.parametrize(
    'page', PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_links_resolve(page):
    assert list(broken(page)) == []


def test_broken_links_are_found(tmp_path):
    page = tmp_path / 'page.md'
    page.write_text(
        '# A *title* (of 2)\n[a](#a-title-of-2) [b](no.md) [c](#other)'
        ' [d](page.md#a-title-of-2) [e](https://arxiv.org) `[f](no.md)`\n'
        '```\n[g](no.md)\n```\n'
    )
    assert list(broken(page)) == ['no.md', '#other']
