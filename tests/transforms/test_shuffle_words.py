import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from torch_geometric_vgcn.transforms import ShuffleWords

LAYOUTS = [torch.strided, torch.sparse_coo, torch.sparse_csr, torch.sparse_csc]


def words(num_nodes, num_words, prob, seed):
    """Different values of at least one, and never more words than zeros."""
    generator = torch.Generator().manual_seed(seed)
    key = torch.rand(num_nodes, num_words, generator=generator)
    few = key.argsort(dim=1).argsort(dim=1) < num_words // 2
    value = torch.randperm(key.numel(), generator=generator).view_as(key) + 1.0
    return value * (few & (key < prob))


@given(
    num_nodes=st.integers(1, 12),
    num_words=st.integers(2, 12),
    prob=st.floats(0, 1),
    share=st.floats(0, 1),
    layout=st.sampled_from(LAYOUTS),
    seed=st.integers(0, 1000),
)
def test_a_share_of_the_words_moves_to_zeros_of_its_row(
    num_nodes, num_words, prob, share, layout, seed
):
    x = words(num_nodes, num_words, prob, seed)
    data = Data(x=x if layout == torch.strided else x.to_sparse(layout=layout))
    out = ShuffleWords(share, seed)(data).x
    assert out.layout == layout
    assert out.dtype == x.dtype
    out = out if layout == torch.strided else out.to_dense()
    # The values of a row are the same, in other places:
    assert torch.equal(out.sort(dim=1).values, x.sort(dim=1).values)
    count = round(share * int((x != 0).sum()))
    assert int(((x != 0) & (out == 0)).sum()) == count
    assert int(((x == 0) & (out != 0)).sum()) == count
    stayed = (x != 0) & (out != 0)
    assert torch.equal(out[stayed], x[stayed])


def test_words_and_columns_are_equally_likely():
    x = torch.tensor([[1.0, 2.0, 0.0, 0.0, 0.0]])
    total = torch.zeros(5, 3)
    for seed in range(2000):
        (out,) = ShuffleWords(0.5, seed)(Data(x=x)).x
        total[torch.arange(5), out.long()] += 1
    share = total / 2000
    expected = torch.tensor([1 / 2, 1 / 2])
    assert torch.allclose(share[[0, 1], [1, 2]], expected, atol=0.05)
    assert (share[2:, 1:] - 1 / 6).abs().max() < 0.04


def test_values_are_shuffled_too():
    x = torch.tensor([[1.0, 2.0, 0.0, 0.0]])
    found = {
        tuple(ShuffleWords(1.0, seed)(Data(x=x)).x[0].tolist())
        for seed in range(30)
    }
    assert found == {(0, 0, 1, 2), (0, 0, 2, 1)}


def test_citeseers_graph_and_lengths_stay(citeseer):
    out = ShuffleWords(0.3)(citeseer)
    assert torch.equal(out.edge_index, citeseer.edge_index)
    assert torch.equal(out.y, citeseer.y)
    same = (out.x != 0).sum(dim=1) == (citeseer.x != 0).sum(dim=1)
    assert same.all()
    words = int((citeseer.x != 0).sum())
    kept = int(((out.x != 0) & (citeseer.x != 0)).sum())
    assert kept == words - round(0.3 * words)


def test_stored_zeros_are_no_words():
    x = torch.tensor([[0.0, 5.0, 0.0], [0.0, 0.0, 7.0]]).to_sparse()
    x.values()[1] = 0
    out = ShuffleWords(1.0)(Data(x=x)).x.to_dense()
    assert out[0, 1] == 0
    assert int((out == 5).sum()) == 1
    assert not out[1].any()


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="'share' must lie between"):
        ShuffleWords(2.0)
    with pytest.raises(TypeError, match="'data.x' must be a Tensor"):
        ShuffleWords(0.5)(Data(num_nodes=3))
    with pytest.raises(TypeError, match='must be floating point'):
        ShuffleWords(0.5)(Data(x=torch.ones(3, 2).long()))
    with pytest.raises(ValueError, match=r'0 zeros for \d words of node'):
        ShuffleWords(1.0)(Data(x=torch.ones(3, 2)))
    with pytest.raises(ValueError, match=r'shape \[N, F\]'):
        ShuffleWords(0.5)(Data(x=torch.ones(3, 3, 2)))
