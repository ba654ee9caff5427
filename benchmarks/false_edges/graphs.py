r"""Graphs of which it is known which edges are false."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.transforms import HalfValidation, RandomPerturbation
from torch_geometric_vgcn.utils import pair_key

NODES, EDGES, FEATURES = 20_000, 110_000, 30
REWIRED, LABELS = 0.15, 0.05


def block_model(seed: int, mixing: float = 0.1, classes: int = 10) -> Data:
    r"""Ten blocks of equal size, and the share :obj:`mixing` of edges between
    different ones.
    """
    rng = torch.Generator().manual_seed(seed)
    y = torch.arange(NODES) * classes // NODES
    weight = torch.ones(NODES, dtype=torch.double)
    return _made(y, weight, mixing, 1.75, rng)


def lfr(seed: int, mixing: float = 0.15) -> Data:
    r"""Degrees and sizes of communities by power laws, as in the "Benchmark
    graphs for testing community detection algorithms" paper
    (https://arxiv.org/abs/0805.4770), with expected degrees.
    """
    rng = torch.Generator().manual_seed(seed)
    size = _power_law(40, 1.5, 500, 3000, rng)
    end = (size.cumsum(0) / size[: int((size.cumsum(0) < NODES).sum()) + 1]
           .sum() * NODES)  # fmt: skip
    y = torch.searchsorted(end, torch.arange(NODES).double(), right=True)
    weight = _power_law(NODES, 2.5, 4, 100, rng)
    return _made(y, weight, mixing, 2.2, rng)


def _power_law(
    count: int, exponent: float, low: float, high: float, rng: torch.Generator
) -> Tensor:
    part = torch.rand(count, generator=rng, dtype=torch.double)
    power = 1 - exponent
    low, high = low**power, high**power
    return (low + part * (high - low)) ** (1 / power)


def _made(
    y: Tensor,
    weight: Tensor,
    mixing: float,
    signal: float,
    rng: torch.Generator,
) -> Data:
    r"""A graph by classes in ascending order and expected degrees, with
    rewired edges. An MLP that knows 5 % of the labels is right about half of
    the time.
    """
    across = round(mixing * EDGES)
    right = torch.cat([
        _drawn(y, weight, EDGES - across, True, rng),
        _drawn(y, weight, across, False, rng),
    ])  # fmt: skip
    order = torch.randperm(EDGES, generator=rng)
    kept = right[order[round(REWIRED * EDGES) :]]
    pair = torch.randint(NODES, (2, EDGES), generator=rng)
    new = pair_key(pair[:, pair[0] != pair[1]], NODES)
    new = new[~torch.isin(new, right)].unique()
    new = new[torch.randperm(new.numel(), generator=rng)]
    new = new[: EDGES - kept.numel()]
    center = torch.randn(int(y.max()) + 1, FEATURES, generator=rng)
    center = signal * torch.nn.functional.normalize(center)
    noise = torch.randn(NODES, FEATURES, generator=rng)
    data = _with_pairs(Data(x=center[y] + noise, y=y), kept, new)
    part = torch.randperm(NODES, generator=rng)
    known = round(LABELS * NODES)
    data.train_mask = part < known // 2
    data.val_mask = (part >= known // 2) & (part < known)
    data.test_mask = part >= known
    return data


def _drawn(
    y: Tensor, weight: Tensor, count: int, same: bool, rng: torch.Generator
) -> Tensor:
    r"""Pairs of nodes of the same class, or of different ones."""
    upto = torch.cat([weight.new_zeros(1), weight.cumsum(0)])
    first, last = (
        torch.searchsorted(y, y, right=right) for right in (False, True)
    )
    keys = torch.empty(0, dtype=torch.long)
    while keys.numel() < count:
        part = torch.rand(2, 2 * count, generator=rng, dtype=torch.double)
        i = torch.searchsorted(upto, part[0] * upto[-1], right=True) - 1
        low, high = upto[0], upto[-1]
        if same:
            low, high = upto[first[i]], upto[last[i]]
        place = low + part[1] * (high - low)
        j = torch.searchsorted(upto, place, right=True) - 1
        j = j.clamp(max=NODES - 1)
        fit = (i != j) & ((y[i] == y[j]) == same)
        pair = torch.stack([i, j])[:, fit]
        keys = torch.cat([keys, pair_key(pair, NODES)]).unique()
    return keys[torch.randperm(keys.numel(), generator=rng)[:count]]


def _with_pairs(data: Data, right: Tensor, false: Tensor) -> Data:
    key, order = torch.cat([right, false]).sort()
    size = data.num_nodes
    data.pairs = torch.stack([key // size, key % size])
    data.right = order < right.numel()
    data.edge_index = to_undirected(data.pairs)
    return data


def _citations(name: str, add: int) -> Callable[[int], Data]:
    def load(seed: int) -> Data:
        data = HalfValidation(seed=seed)(planetoid(name)[0])
        size = data.num_nodes
        true = pair_key(data.edge_index, size).unique()
        data = RandomPerturbation(add=add, seed=seed)(data)
        new = pair_key(data.added_pairs, size)
        return _with_pairs(data, true, new)

    return load


CASES: dict[str, Callable[[int], Data]] = {
    'block model, 15 % rewired': block_model,
    'LFR, 15 % rewired': lfr,
    'Citeseer +5000': _citations('CiteSeer', 5000),
    'Cora +5000': _citations('Cora', 5000),
    'Pubmed +100 %': _citations('PubMed', 44_324),
}
