import pytest
import torch
from torch_geometric.datasets import KarateClub

from torch_geometric_vgcn.loader import ClusterData


@pytest.fixture
def karate():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


@pytest.fixture
def clusters(karate):
    return ClusterData(karate, 4, log=False)
