r"""All data sets. To add one, add a file here and a line below."""

from sources.base import Source
from sources.breast_cancer import BreastCancer
from sources.digits import Digits
from sources.fars import FARS
from sources.letter import Letter
from sources.newsgroups import Newsgroups
from sources.penbased import Penbased
from sources.wine import Wine

SOURCES: dict[str, Source] = {
    each.title: each()
    for each in (
        Wine,
        BreastCancer,
        Digits,
        Newsgroups,
        Letter,
        Penbased,
        FARS,
    )
}
