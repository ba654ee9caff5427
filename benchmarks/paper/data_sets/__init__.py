r"""All data sets. To add one, add a file here and a line below."""

from data_sets.citations import CiteSeer, Cora, PubMed
from data_sets.heterophilous import Chameleon, Texas
from data_sets.polblogs import Polblogs
from data_sets.prognn import ProGNNCiteseer
from data_sets.uci import BreastCancer, Digits, Wine

DATASETS = {
    each.title: each()
    for each in (
        CiteSeer,
        Cora,
        Polblogs,
        PubMed,
        ProGNNCiteseer,
        Wine,
        BreastCancer,
        Digits,
        Texas,
        Chameleon,
    )
}
