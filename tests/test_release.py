"""What a release says about itself agrees with the package."""

import re
from pathlib import Path

import torch_geometric_vgcn

ROOT = Path(__file__).parent.parent
VERSION = torch_geometric_vgcn.__version__


def release():
    """Version and date of the last release in the changelog."""
    pattern = r'^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$'
    text = (ROOT / 'CHANGELOG.md').read_text()
    return re.search(pattern, text, re.MULTILINE).groups()


def test_the_changelog_has_the_version():
    assert release()[0] == VERSION


def test_the_citation_has_the_version_and_its_date():
    version, date = release()
    citation = (ROOT / 'CITATION.cff').read_text()
    assert f'\nversion: {version}\n' in citation
    assert f'\ndate-released: {date}\n' in citation


def test_the_package_is_typed():
    folder = Path(torch_geometric_vgcn.__file__).parent
    assert (folder / 'py.typed').exists()
