import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from torch_geometric_vgcn.utils import CSRPattern, Triangle, csr


def drawn(seed, n, share):
    r"""Some pairs, the weights of two graphs, and these as matrices."""
    generator = torch.Generator().manual_seed(seed)
    index = torch.triu_indices(n, n, 1)
    index = index[:, torch.rand(index.size(1), generator=generator) < share]
    weight = torch.rand(2, index.size(1), generator=generator)
    matrix = torch.zeros(2, n, n)
    matrix[:, index[0], index[1]] = weight
    left, right = torch.randn(2, 2, n, 3, generator=generator)
    return index, weight, matrix + matrix.mT, left, right


def check(pattern, index, weight, matrix, left, right):
    product = pattern.product(pattern.entries(weight), left)
    assert torch.allclose(product, matrix @ left, atol=1e-4)
    outer = left @ right.mT
    expected = (outer + outer.mT)[:, index[0], index[1]]
    assert torch.allclose(pattern.dot(left, right), expected, atol=1e-4)


@given(seed=st.integers(0, 10_000), n=st.integers(2, 12))
def test_compressed_rows_are_the_matrix(seed, n):
    index, *rest = drawn(seed, n, 0.6)
    check(CSRPattern(index, n), index, *rest)


def test_large_graphs_go_one_by_one(monkeypatch):
    monkeypatch.setattr(csr, 'TOGETHER', 10)
    index, *rest = drawn(0, 12, 0.6)
    pattern = CSRPattern(index, 12)
    assert pattern.together == 1
    check(pattern, index, *rest)


@pytest.mark.parametrize('n', [2, 3, 17, 128, 129, 130, 300])
def test_the_triangle_is_the_matrix(n):
    index, *rest = drawn(0, n, 1.0)
    check(Triangle(n, index.device), index, *rest)


def test_without_an_edge_there_is_nothing_to_add():
    pattern = CSRPattern(torch.empty(2, 0, dtype=torch.long), 3)
    x = torch.ones(2, 3, 4)
    product = pattern.product(pattern.entries(torch.empty(2, 0)), x)
    assert torch.equal(product, torch.zeros(2, 3, 4))
    assert pattern.dot(x, x).shape == (2, 0)
