"""How probable it is that a given edge is right."""

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn.analysis import right_edges
from torch_geometric_vgcn.analysis.pair_evidence import pair_evidence
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.recipe import Measurements

sklearn = pytest.importorskip('sklearn')
NODES, CLASSES, EDGES = 1500, 6, 6000


def make_graph(false=0.25, mixing=0.08, joins=0, seed=0):
    """Edges between nodes whose classes differ by :obj:`joins`, but for the
    share :obj:`mixing`, and random ones.
    """
    rng = torch.Generator().manual_seed(seed)

    def random(count):
        return torch.randint(NODES, (count,), generator=rng)

    y = torch.arange(NODES) % CLASSES
    count = round(EDGES * (1 - false) * (1 - mixing))
    left = random(count)
    right = random(count) // CLASSES * CLASSES
    right += (y[left] + joins) % CLASSES
    placed = torch.stack([left, right])
    across = round(EDGES * (1 - false) * mixing)
    random_pairs = random(2 * (EDGES - count)).view(2, -1)
    pairs = torch.cat([placed, random_pairs], dim=1)
    pairs = pairs.sort(dim=0).values
    key = pairs[0] * NODES + pairs[1]
    kept = pairs[0] < pairs[1]
    is_right = torch.arange(pairs.size(1)) < count + across
    edges = Candidates(pairs[:, kept], NODES)
    is_right = torch.isin(edges.key, key[is_right & kept])
    x = torch.randn(NODES, 8, generator=rng)
    x[:, :CLASSES] += 1.2 * torch.eye(CLASSES)[y]
    x = Measurements()(x)
    return Data(x=x, edge_index=to_undirected(edges.index)), edges, is_right


def found(data, prob=None):
    return right_edges(data.edge_index, data.x, prob)


def noisy_classes():
    """Predicted classes, of which every third is a random one."""
    rng = torch.Generator().manual_seed(5)
    y = torch.arange(NODES) % CLASSES
    other = torch.randint(CLASSES, y.shape, generator=rng)
    y = torch.where(torch.rand(NODES, generator=rng) < 1 / 3, other, y)
    return 0.7 * torch.eye(CLASSES)[y] + 0.05


def calibration_error(prob, right, bins=15):
    place = (prob * bins).long().clamp(max=bins - 1)
    gap = torch.bincount(place, prob - right.to(prob), minlength=bins)
    return float(gap.abs().sum() / prob.numel())


def auc(right, score):
    return sklearn.metrics.roc_auc_score(right, score)


@pytest.mark.parametrize('false', [0.1, 0.25])
def test_probabilities_mean_what_they_say(false):
    data, _, right = make_graph(false)
    prob, share = found(data)
    assert calibration_error(prob, right) < 0.06
    assert share == pytest.approx(1 - false, abs=0.06)


def test_better_than_similar_neighbourhoods():
    data, edges, right = make_graph()
    prob, _ = found(data, noisy_classes())
    adj = torch.eye(NODES)
    adj[data.edge_index[0], data.edge_index[1]] = 1
    mean = adj / adj.sum(dim=1, keepdim=True)
    i, j = edges.index
    cosine = torch.cosine_similarity(*(mean @ mean @ data.x)[edges.index])
    common = (adj[i] * adj[j]).sum(dim=1)
    jaccard = common / (adj[i] + adj[j]).clamp(max=1).sum(dim=1)
    best = max(auc(right, cosine), auc(right, jaccard))
    assert auc(right, prob) > best + 0.01


def test_known_classes_help():
    data, _, right = make_graph()
    alone, _ = found(data)
    both, _ = found(data, noisy_classes())
    assert auc(right, both) > auc(right, alone) + 0.01


@pytest.mark.parametrize('joins', [1, 3])
def test_edges_may_join_different_classes(joins):
    """Each class with the next one, or pairs of classes."""
    data, edges, right = make_graph(joins=joins)
    prob, _ = found(data, noisy_classes())
    i, j = edges.index
    same = (data.x[i] - data.x[j]).norm(dim=1)
    assert auc(right, prob) > auc(right, same) + 0.2
    assert calibration_error(prob, right) < 0.08


def test_a_random_graph_is_recognised():
    data, _, _ = make_graph(false=1.0)
    prob, share = found(data)
    assert share < 0.15
    assert float(prob.quantile(0.9)) < 0.4


def test_evidence_is_that_of_the_graph_without_the_edge():
    """The oracle deletes the edge, and takes the pair for any other one."""
    data, edges, _ = make_graph()
    every = pair_evidence(data.x, None, edges, edges)
    for number in (0, 1700, len(edges) - 1):
        others = torch.arange(len(edges)) != number
        less = Candidates(edges.index[:, others], NODES)
        pair = Candidates(edges.index[:, number : number + 1], NODES)
        alone = pair_evidence(data.x, None, less, pair)
        for have, want in zip(every, alone, strict=True):
            torch.testing.assert_close(have[number : number + 1], want)


def test_the_same_each_time_and_no_random_state_moves():
    data, _, _ = make_graph()
    state = torch.random.get_rng_state()
    one, two = found(data), found(data)
    assert one[0].equal(two[0]) and one[1] == two[1]
    assert torch.random.get_rng_state().equal(state)


def test_the_order_of_nodes_changes_little():
    """Other random pairs are compared, all else is the same."""
    data, edges, _ = make_graph()
    order = torch.randperm(NODES, generator=torch.Generator().manual_seed(1))
    place = order.argsort()
    moved = place[data.edge_index]
    prob, share = right_edges(moved, data.x[order])
    want, wanted = found(data)
    low, high = place[edges.index].sort(dim=0).values
    key = Candidates(moved, NODES).key
    own = torch.searchsorted(key, low * NODES + high)
    assert float((prob[own] - want).abs().mean()) < 0.03
    assert share == pytest.approx(wanted, abs=0.03)


@pytest.mark.parametrize('nodes, edges', [(30, 20), (15, 105)])
def test_too_few_edges_or_other_pairs_tell_nothing(nodes, edges):
    """The second graph has all edges."""
    index = torch.combinations(torch.arange(nodes))[:edges].t()
    assert right_edges(index, torch.rand(nodes, 3)) is None


@pytest.mark.parametrize('kind', ['star', 'path'])
def test_constant_features(kind):
    nodes = torch.arange(300)
    start = 0 * nodes[1:] if kind == 'star' else nodes[:-1]
    edge_index = torch.stack([start, nodes[1:]])
    prob, share = right_edges(edge_index, torch.ones(300, 2))
    assert bool(((prob >= 0) & (prob <= 1)).all()) and 0 <= share <= 1


@pytest.mark.parametrize(
    ('wrong', 'message'),
    [
        ({'x': torch.ones(3)}, "'x'.*shape"),
        ({'x': torch.full((4, 2), float('nan'))}, "'x'.*NaN"),
        ({'edge_index': torch.tensor([[0], [4]])}, "'edge_index'.*4"),
        ({'prob': torch.full((3, 2), 0.5)}, r"'prob'.*\[4, C\].*\[3, 2\]"),
    ],
)
def test_bad_arguments_are_named(wrong, message):
    given = {'edge_index': torch.tensor([[0, 1], [1, 2]])}
    given |= {'x': torch.ones(4, 2), 'prob': torch.full((4, 2), 0.5)}
    with pytest.raises(ValueError, match=message):
        right_edges(**given | wrong)
