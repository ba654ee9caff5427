"""What features look like, and how they are scaled."""

import torch

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
