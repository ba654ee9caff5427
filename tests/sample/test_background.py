import torch
from scipy.stats import binom, chisquare, kstest

from torch_geometric_vgcn import Candidates
from torch_geometric_vgcn.sample.background import draw_background


def test_each_other_pair_is_as_likely(graph, generator):
    pairs = Candidates(graph, 6)
    outside = pairs.num_possible - len(pairs)
    counts = torch.zeros(36)
    sizes = []
    for _ in range(3000):
        index = draw_background(pairs, 0.3, generator)
        sizes.append(index.size(1))
        counts[index[0] * 6 + index[1]] += 1
    assert (counts[pairs.key] == 0).all()
    seen = counts[counts > 0]
    assert seen.numel() == outside
    assert chisquare(seen).pvalue > 0.01
    assert abs(float(seen.mean()) / 3000 - 0.3) < 0.01
    expected = binom(outside, 0.3)
    sizes = torch.tensor(sizes, dtype=torch.double)
    assert abs(sizes.mean() - expected.mean()) < 0.1
    assert abs(sizes.var() - expected.var()) < 0.2


def test_a_million_nodes_cost_no_more_than_what_is_drawn(generator):
    pairs = Candidates(torch.tensor([[0, 5], [1, 7]]), 1_000_000)
    index = draw_background(pairs, 2e-8, generator)
    assert 9_000 < index.size(1) < 11_000
    assert (index[0] < index[1]).all()
    # The smaller of two uniform node ids has the distribution 1 - (1 - u)^2:
    low = index[0].double() / 1_000_000
    assert kstest(low, lambda u: 1 - (1 - u) ** 2).pvalue > 0.01
