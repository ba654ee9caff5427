r"""All data sets. To add one, add a file here and a line below."""

from data_sets.citations import CiteSeer, Cora
from data_sets.polblogs import Polblogs

DATASETS = {each.title: each() for each in (CiteSeer, Cora, Polblogs)}
