import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chisquare, kstest

from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.sample.base import draw_background
from torch_geometric_vgcn.utils import pair_at, place_of


def test_each_other_pair_is_as_likely(graph, generator):
    pairs = Candidates(graph, 6)
    outside = pairs.num_possible - len(pairs)
    index, drawn = draw_background(pairs, 0.3, 3000, generator)
    low, high = index[:, drawn]
    counts = torch.bincount(low * 6 + high, minlength=36)
    assert (counts[pairs.key] == 0).all()
    seen = counts[counts > 0].double()
    assert seen.numel() == outside
    assert chisquare(seen).pvalue > 0.01
    assert abs(float(seen.mean()) / 3000 - 0.3) < 0.01
    expected = binom(outside, 0.3)
    sizes = drawn.sum(dim=1).double()
    assert abs(sizes.mean() - expected.mean()) < 0.1
    assert abs(sizes.var() - expected.var()) < 0.2


def test_pairs_are_drawn_independently(generator):
    pairs = Candidates(torch.tensor([[0], [1]]), 4)
    index, drawn = draw_background(pairs, 0.4, 20_000, generator)
    graphs = torch.zeros(20_000, 16)
    key = (index[0] * 4 + index[1])[drawn]
    graphs[drawn.nonzero()[:, 0], key] += 1
    assert graphs.max() == 1  # no pair twice
    correlation = graphs[:, [2, 3, 6, 7, 11]].t().corrcoef()
    assert (correlation - torch.eye(5)).abs().max() < 0.03


def test_a_million_nodes_cost_no_more_than_what_is_drawn(generator):
    pairs = Candidates(torch.tensor([[0, 5], [1, 7]]), 1_000_000)
    index, drawn = draw_background(pairs, 2e-8, generator=generator)
    assert 9_000 < int(drawn.sum()) <= index.size(2) < 12_000
    index = index[:, drawn]
    assert (index[0] < index[1]).all() and int(index.max()) < 1_000_000
    # The smaller of two uniform node ids has the distribution 1 - (1 - u)^2:
    low = index[0].double() / 1_000_000
    assert kstest(low, lambda u: 1 - (1 - u) ** 2).pvalue > 0.01


@given(n=st.integers(2, 40_000_000), share=st.floats(0, 1))
def test_place_in_the_list_of_all_pairs(n, share):
    last = n * (n - 1) // 2 - 1
    place = min(last, int(share * last))
    (row,), (col,) = pair_at(torch.tensor([place]), n).tolist()
    assert 0 <= row < col < n
    assert row * (2 * n - 1 - row) // 2 + col - row - 1 == place
    pair = torch.tensor([[row], [col]])
    assert place_of(pair, n).tolist() == [place]
