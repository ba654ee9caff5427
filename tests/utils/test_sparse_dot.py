from importlib import import_module

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from torch_geometric_vgcn.utils import sparse_dot


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 12),
    st.integers(1, 9),
    st.integers(0, 30),
    st.integers(0, 2**31 - 1),
)
def test_it_is_the_product_of_dense_rows(num_rows, width, num_pairs, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(num_rows, width, dtype=torch.double, generator=g)
    x[torch.rand(num_rows, width, generator=g) < 0.6] = 0
    index = torch.randint(num_rows, (2, num_pairs), generator=g)
    value = sparse_dot(x.to_sparse_csr(), index)
    expected = (x[index[0]] * x[index[1]]).sum(dim=1)
    torch.testing.assert_close(value, expected)


@pytest.mark.parametrize('chunk', [1, 7, 100])
def test_pieces_of_any_size_give_the_same(monkeypatch, chunk):
    x = torch.randn(20, 30).relu()
    index = torch.randint(20, (2, 50))
    whole = sparse_dot(x.to_sparse_csr(), index)
    monkeypatch.setattr(
        import_module('torch_geometric_vgcn.utils.rows'), 'CHUNK', chunk
    )
    assert torch.equal(sparse_dot(x.to_sparse_csr(), index), whole)


def test_columns_in_any_order():
    x = torch.sparse_csr_tensor(
        [0, 2, 4], [2, 0, 0, 2], [1.0, 2.0, 3.0, 4.0], check_invariants=False
    )
    value = sparse_dot(x, torch.tensor([[0], [1]]))
    assert value.item() == 2 * 3 + 1 * 4


def test_a_million_columns():
    x = torch.sparse_csr_tensor(
        [0, 2, 3],
        [5, 999_999, 999_999],
        [1.0, 2.0, 3.0],
        (2, 1_000_000),
        check_invariants=False,
    )
    assert sparse_dot(x, torch.tensor([[0, 0], [1, 0]])).tolist() == [6, 5]
