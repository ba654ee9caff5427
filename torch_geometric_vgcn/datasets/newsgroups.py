from collections.abc import Callable
from pathlib import Path

import torch
from torch_geometric.data import Data

from torch_geometric_vgcn.datasets.single_graph import SingleGraph
from torch_geometric_vgcn.datasets.uci import sklearn_datasets
from torch_geometric_vgcn.transforms import StratifiedSplit
from torch_geometric_vgcn.utils import check_callable, check_path

GROUPS = [
    'alt.atheism',
    'comp.sys.ibm.pc.hardware',
    'misc.forsale',
    'rec.autos',
    'rec.sport.hockey',
    'sci.crypt',
    'sci.electronics',
    'sci.med',
    'sci.space',
    'talk.politics.guns',
]


def newsgroups(
    transform: Callable | None = None,
    seed: int = 0,
    cache: str | Path | None = None,
) -> SingleGraph:
    r"""Ten of the 20 Newsgroups, without a graph, as in the `"Learning
    Discrete Structures for Graph Neural Networks"
    <https://arxiv.org/abs/1903.11960>`_ paper: 9,607 documents with the TF-IDF
    of each word that is in at least 5 % of them; 100 training, 200 validation
    and 9,307 test nodes. :class:`~torch_geometric_vgcn.transforms.KNNGraph`
    adds a graph.

    scikit-learn downloads the documents (14 MB) if it hasn't yet.

    Args:
        transform (callable, optional): A PyG transform.
            (default: :obj:`None`)
        seed (int, optional): The seed of the split, which represents each
            class as it is in the whole. (default: :obj:`0`)
        cache (str or Path, optional): The folder that scikit-learn keeps them
            in. (default: scikit-learn's own)
    """
    split = StratifiedSplit(100, 200, seed=seed)
    check_callable(transform, 'transform')
    if cache is not None:
        check_path(cache, 'cache')
    datasets = sklearn_datasets()
    from sklearn.feature_extraction.text import TfidfVectorizer

    try:
        bunch = datasets.fetch_20newsgroups(
            data_home=cache, subset='all', categories=GROUPS
        )
    except OSError as error:
        raise FileNotFoundError(
            f'20 Newsgroups could not be downloaded ({error}). On a machine '
            'with internet call sklearn.datasets.fetch_20newsgroups('
            "subset='all') and copy its file 20news-bydate_py3.pkz from "
            "~/scikit_learn_data to the same place here (or to 'cache')."
        ) from error
    tf_idf = TfidfVectorizer(
        stop_words='english', min_df=0.05, smooth_idf=False
    )
    x = torch.from_numpy(tf_idf.fit_transform(bunch.data).toarray()).float()
    data = Data(x=x, y=torch.from_numpy(bunch.target).long())
    return SingleGraph(split(data), transform)
