"""What passes the checks, and that refusals name the argument."""

import numpy as np
import pytest
import torch
from torch_geometric.data import Data, HeteroData

from torch_geometric_vgcn.utils import (
    check_callable,
    check_class_probs,
    check_count,
    check_edge_index,
    check_features,
    check_flag,
    check_kind,
    check_labels,
    check_node_id,
    check_node_mask,
    check_num_nodes,
    check_number,
    check_path,
    check_positive,
    check_probability,
    check_probs,
    check_seed,
    check_share,
    count_nodes,
    selected_nodes,
)

EDGES = torch.tensor([[0, 1], [1, 2]])
NAN, INF = float('nan'), float('inf')
NO_NUMBERS = [None, 'abc', True, 1j, [0.5], EDGES, b'1']
Y = torch.zeros(3).long()
ids = torch.tensor


@pytest.mark.parametrize(
    'check, more, good, bad',
    [
        (
            check_edge_index,
            [3],
            [EDGES, EDGES.int(), EDGES.short()],
            [
                [[0, 1], [1, 2]],
                EDGES[0],
                torch.zeros(3, 4).long(),
                EDGES.float(),
                EDGES.bool(),
                EDGES[:, :0],
                EDGES + 1,
                EDGES - 1,
                ids([[0, 2], [1, 2]]),
            ],
        ),
        (
            check_features,
            [3],
            [torch.ones(3, 4), torch.ones(2, 3, 4), torch.eye(3).to_sparse()],
            [
                [[1.0]] * 3,
                torch.ones(3),
                torch.ones(4, 3),
                torch.ones(3, 4).long(),
                torch.tensor([[1, NAN, INF]] * 3),
                torch.full((3, 1), NAN).to_sparse(),
            ],
        ),
        (
            selected_nodes,
            [4],
            [ids([False, True, False, True]), ids([3, 1]), ids([1, 3]).int()],
            [
                [0, 1],
                torch.ones(4),
                torch.ones(4).byte(),
                torch.ones(3).bool(),
                torch.ones(4, 1).bool(),
                torch.zeros(4).bool(),
                torch.zeros(2, 2).long(),
                torch.zeros(0).long(),
                ids(2),
                ids([0, 4]),
                ids([2, -1]),
                ids([0, 1, 1, 0]),
            ],
        ),
        (
            check_node_id,
            [3],
            [ids([0, 2])],
            [None, [0, 1], np.arange(2), torch.eye(2).to_sparse(), ids([0])],
        ),
        (
            check_node_mask,
            [2],
            [ids([True, False])],
            [None, ids([0, 1]), torch.ones(2, 2).bool()],
        ),
        (check_num_nodes, [], [2], [2.0, True, '3', None, 1, 0, -5]),
        (
            check_count,
            [],
            [3, np.int64(3), torch.tensor(3)],
            [None, '3', 3.0, True, np.bool_(True), ids([1, 2]), -1, 2**63],
        ),
        (check_seed, [], [0, -(2**63), 2**64 - 1], [2**64, 0.5]),
        (check_flag, [], [True, np.bool_(True)], [None, 1, 'yes']),
        (check_number, [], [0.5, NAN, INF], NO_NUMBERS),
        (
            check_probability,
            [],
            [1e-30, 0.5, 1 - 1e-12, np.float32(0.5), torch.tensor(0.5)],
            [0, 1, -0.1, 1.1, NAN, INF, *NO_NUMBERS],
        ),
        (
            check_positive,
            [],
            [1e-30, 1, 1e30, np.float64(0.5)],
            [0, -1.0, NAN, INF, 10**400, *NO_NUMBERS],
        ),
        (check_share, [], [0, 1, 0.5], [-0.1, 1.1, NAN, *NO_NUMBERS]),
        (check_callable, [], [None, len], [3]),
        (check_path, [], ['folder'], [3, None]),
        (
            check_probs,
            [],
            [torch.rand(3, 2)],
            [None, torch.rand(3), torch.zeros(0, 2), 1 + torch.rand(3, 2)],
        ),
    ],
    ids=lambda value: getattr(value, '__name__', ''),
)
def test_what_passes_and_what_is_refused(check, more, good, bad):
    for value in good:
        check(value, *more, 'rho')
    for value in bad:
        with pytest.raises((TypeError, ValueError), match="'rho' .*"):
            check(value, *more, 'rho')


def test_values_come_in_their_plain_form():
    assert type(check_count(torch.tensor(3), 'k', least=3, most=3)) is int
    assert type(check_share(np.float32(0.5), 'k')) is float
    assert check_flag(np.bool_(True), 'k') is True
    assert check_path('folder', 'k').name == 'folder'


@pytest.mark.parametrize(
    'y, mask, message',
    [
        (torch.zeros(2).long(), [0], "'y'"),
        (torch.zeros(3, 1).long(), [0], "'y'"),
        (torch.zeros(3), [0], "'y'"),
        (Y, [True, False], "'train'"),
        (Y, [False] * 3, "'train'"),
        (Y, [3], "'train'"),
        (ids([0, -1, 1]), [0, 1], "'y' .*'train' selects .*got -1"),
        (ids([0, 5, 2]), [0, 2], "'y' .*below 2, .*got 2"),
    ],
)
def test_bad_labels_are_refused(y, mask, message):
    with pytest.raises(ValueError, match=message):
        check_labels(y, torch.tensor(mask), 3, 'train', num_classes=2)


def test_labels_outside_of_the_mask_are_not_looked_at():
    for mask in (ids([True, False, True]), ids([2, 0])):
        check_labels(ids([1, -1, 0]), mask, 3, num_classes=2)
    with pytest.raises(ValueError, match='two classes need two outputs'):
        check_labels(Y, ids([0]), 3, num_classes=1)


def test_masks_and_indices_select_nodes_in_ascending_order():
    for mask in (ids([False, True, False, True]), ids([3, 1]).int()):
        assert selected_nodes(mask, 4).equal(ids([1, 3]))
    for mask in (torch.zeros(3).bool(), torch.zeros(0).long()):
        assert selected_nodes(mask, 3, allow_none=True).numel() == 0
        check_labels(Y, mask, 3, allow_none=True)


def test_class_probabilities_sum_to_one():
    check_class_probs(torch.rand(5, 3).softmax(dim=1).half())
    with pytest.raises(ValueError, match="'prob' must sum to 1"):
        check_class_probs(torch.full((3, 2), 0.4))


def test_empty_graphs_and_loops_where_they_are_allowed():
    check_edge_index(EDGES[:, :0], 3, empty=True)
    check_edge_index(ids([[0, 2], [1, 2]]), 3, loops=True)


def test_nodes_are_counted_in_homogeneous_graphs_only():
    assert count_nodes(Data(x=torch.rand(3, 2))) == 3
    infinite = Data(edge_index=torch.tensor([[0.0], [INF]]))
    for data in (
        None, HeteroData(), EDGES, Data(), infinite, Data(num_nodes=2.5),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match="'data"):
            count_nodes(data)


def test_kinds():
    check_kind(1, (int, str), 'name')
    with pytest.raises(TypeError, match="'name' must be a int or str, got li"):
        check_kind([], (int, str), 'name')
