"""What features look like, and how they are scaled."""

import pytest
import torch
from torch_geometric.data import Data

from torch_geometric_vgcn import VGCN
from torch_geometric_vgcn.recipe import Counts, Measurements
from torch_geometric_vgcn.recipe.features import features_of


def words(share):
    rng = torch.Generator().manual_seed(0)
    return (torch.rand(200, 50, generator=rng) < share).float() * 3


def test_kinds_are_told_apart():
    assert features_of(words(0.05)) == Counts(input_dropout=0.8)
    assert features_of(words(0.3)) == Counts(input_dropout=0.5)
    assert features_of(words(0.9)) == Measurements()
    assert features_of(torch.randn(20, 3)) == Measurements()


def test_counts_get_rows_of_norm_one():
    x = Counts()(words(0.1))
    assert x.shape == (200, 50)
    norm = x.norm(dim=1)
    torch.testing.assert_close(norm[norm > 0], torch.ones_like(norm)[norm > 0])
    fast = Counts().layout(x)
    assert fast.layout == torch.sparse_csr
    torch.testing.assert_close(fast.to_dense(), x)


def test_measurements_get_standardised_columns():
    x = torch.randn(40, 4) * torch.tensor([1e-3, 1.0, 50.0, 0.0]) + 1e4
    out = Measurements()(x.double())
    torch.testing.assert_close(out.mean(dim=0), torch.zeros(4).double())
    torch.testing.assert_close(
        out.std(dim=0, correction=0), torch.tensor([1.0, 1, 1, 0]).double()
    )


@pytest.mark.parametrize('shift', [0.0, -0.5], ids=['counts', 'measurements'])
def test_many_columns_that_are_not_words_are_reduced(shift):
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(300) % 3
    often = torch.rand(3, 600, generator=generator) * 0.4
    x = (torch.rand(300, 600, generator=generator) < often[y]).float() + shift
    data = Data(x=x, y=y.where(torch.arange(300) < 60, -1))
    model = VGCN(data, effort='quick', progress=False).fit()
    assert model.task.num_features == 200
    assert (model.predict().argmax(1) == y).float().mean() > 0.9
    again = VGCN(data, effort='quick', progress=False)
    assert torch.equal(again.task.x, model.task.x)
    prob = model.predict(x[:50])
    assert (prob.argmax(1) == y[:50]).float().mean() > 0.9
    with pytest.raises(ValueError, match="'x' must have 600 columns"):
        model.predict(x[:, :200])
