import numpy as np
import pytest
from sklearn.datasets import make_blobs

from torch_geometric_vgcn.estimators import VGCNClassifier


@pytest.fixture
def quick():
    r"""A classifier with nothing to choose."""
    return VGCNClassifier(
        trust=0.5,
        n_neighbors=5,
        hidden=32,
        max_iter=40,
        random_state=0,
    )


@pytest.fixture
def blobs():
    r"""Three clusters, and labels of which three of four are hidden."""
    x, y = make_blobs(
        n_samples=120, centers=3, n_features=5, cluster_std=3.0, random_state=1
    )
    known = np.random.RandomState(0).rand(120) < 0.25
    return x, y, np.where(known, y, -1)
