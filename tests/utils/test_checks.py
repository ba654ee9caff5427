import numpy as np
import pytest
import torch
from torch_geometric.data import Data, HeteroData

from torch_geometric_vgcn.utils import (
    check_callable,
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
    check_seed,
    check_share,
    count_nodes,
    selected_nodes,
)

EDGES = torch.tensor([[0, 1], [1, 2]])
NAN, INF = float('nan'), float('inf')


@pytest.mark.parametrize('dtype', [torch.int64, torch.int32, torch.int16])
def test_good_edges_pass(dtype):
    check_edge_index(EDGES.to(dtype), 3)


@pytest.mark.parametrize(
    'edge_index, error, message',
    [
        ([[0, 1], [1, 2]], TypeError, r'torch.Tensor .*, got list'),
        (EDGES[0], ValueError, r'shape \[2, E\], got \[2\]'),
        (torch.zeros(3, 4).long(), ValueError, r'got \[3, 4\]'),
        (EDGES.float(), TypeError, 'integer node ids, got torch.float32'),
        (EDGES.bool(), TypeError, 'integer node ids, got torch.bool'),
        (EDGES[:, :0], ValueError, 'empty graph'),
        (EDGES + 1, ValueError, r'\[0, 2\] .*got ids from 1 to 3'),
        (EDGES - 1, ValueError, 'got ids from -1 to 1'),
        (torch.tensor([[0, 2], [1, 2]]), ValueError, '1 self-loops'),
    ],
)
def test_bad_edges_are_refused(edge_index, error, message):
    with pytest.raises(error, match=f"'adj' .*{message}"):
        check_edge_index(edge_index, 3, 'adj')


def test_the_number_of_nodes_is_whole_and_at_least_two():
    assert check_num_nodes(2) == 2
    for value in (2.0, True, '3', None):
        with pytest.raises(TypeError, match="'num_nodes' must be an int"):
            check_num_nodes(value)
    for value in (1, 0, -5):
        with pytest.raises(ValueError, match=f'at least 2, got {value}'):
            check_num_nodes(value)


@pytest.mark.parametrize('value', [1e-30, 0.5, 1 - 1e-12])
def test_good_probabilities_pass(value):
    assert check_probability(value, 'rho') == value


@pytest.mark.parametrize('value', [0, 1, -0.1, 1.1, NAN, INF])
def test_bad_probabilities_are_refused(value):
    with pytest.raises(ValueError, match=f"'rho' must lie .*got {value}"):
        check_probability(value, 'rho')


@pytest.mark.parametrize('value', [1e-30, 1, 1e30])
def test_good_positive_numbers_pass(value):
    assert check_positive(value, 'beta') == value


@pytest.mark.parametrize('value', [0, -1.0, NAN, INF])
def test_bad_positive_numbers_are_refused(value):
    with pytest.raises(ValueError, match=f"'beta' must be .*got {value}"):
        check_positive(value, 'beta')


@pytest.mark.parametrize('shape', [(3, 4), (2, 3, 4)])
def test_good_features_pass(shape):
    check_features(torch.ones(shape), 3)
    check_features(torch.ones(3, 4).to_sparse(), 3)


@pytest.mark.parametrize(
    'x, error, message',
    [
        ([[1.0]] * 3, TypeError, 'Tensor.*, got list'),
        (torch.ones(3), ValueError, r'3 nodes, got shape \[3\]'),
        (torch.ones(4, 3), ValueError, r'3 nodes, got shape \[4, 3\]'),
        (torch.ones(3, 4).long(), TypeError, 'floating point, got'),
        (torch.tensor([[1, NAN, INF]] * 3), ValueError, 'finite, got 6'),
        (torch.full((3, 1), NAN).to_sparse(), ValueError, 'finite, got 3'),
    ],
)
def test_bad_features_are_refused(x, error, message):
    with pytest.raises(error, match=f"'h' must .*{message}"):
        check_features(x, 3, 'h')


@pytest.mark.parametrize(
    'mask', [torch.tensor([True, False, True]), torch.tensor([2, 0])]
)
def test_good_labels_pass(mask):
    check_labels(torch.tensor([1, -1, 0]), mask, 3)


@pytest.mark.parametrize(
    'y, mask, message',
    [
        (torch.zeros(2).long(), [0], r"'y' must hold .*shape \[2\]"),
        (torch.zeros(3, 1).long(), [0], r"'y' must hold .*shape \[3, 1\]"),
        (torch.zeros(3), [0], "'y' must hold one int64 .*got torch.float32"),
        (torch.zeros(3).long(), [True, False], r"'train' .*\[3\], got \[2\]"),
        (torch.zeros(3).long(), [False] * 3, "'train' selects no node"),
        (torch.tensor([0, -1, 1]), [0, 1], "'y' .*'train' selects .*got -1"),
    ],
)
def test_bad_labels_are_refused(y, mask, message):
    with pytest.raises(ValueError, match=message):
        check_labels(y, torch.tensor(mask), 3, 'train')


@pytest.mark.parametrize(
    'mask',
    [
        torch.tensor([False, True, False, True]),
        torch.tensor([3, 1]),
        torch.tensor([1, 3], dtype=torch.int32),
    ],
)
def test_masks_and_indices_select_nodes_in_ascending_order(mask):
    assert selected_nodes(mask, 4).tolist() == [1, 3]
    assert selected_nodes(mask, 4).dtype == torch.int64


@pytest.mark.parametrize(
    'mask, error, message',
    [
        ([0, 1], TypeError, 'Tensor.*, got list'),
        (torch.ones(4), TypeError, 'boolean mask .*got torch.float32'),
        (torch.ones(4).byte(), TypeError, 'boolean mask .*got torch.uint8'),
        (torch.ones(3).bool(), ValueError, r'shape \[4\], got \[3\]'),
        (torch.ones(4, 1).bool(), ValueError, r'shape \[4\], got \[4, 1\]'),
        (torch.zeros(2, 2).long(), ValueError, r'shape \[n\], got \[2, 2\]'),
        (torch.tensor(2), ValueError, r'shape \[n\], got \[\]'),
        (torch.tensor([0, 4]), ValueError, r'\[0, 3\], got .*from 0 to 4'),
        (torch.tensor([2, -1]), ValueError, r'\[0, 3\], got .*from -1 to 2'),
        (torch.tensor([0, 1, 1, 0]), ValueError, r'once, got 0 .*mask.bool'),
    ],
)
def test_bad_masks_are_refused(mask, error, message):
    with pytest.raises(error, match=f"'val' must .*{message}"):
        selected_nodes(mask, 4, 'val')


@pytest.mark.parametrize('dtype', [torch.bool, torch.int64])
def test_a_mask_may_select_no_node_where_that_is_allowed(dtype):
    mask = torch.zeros(4 if dtype is torch.bool else 0, dtype=dtype)
    assert selected_nodes(mask, 4, allow_none=True).numel() == 0
    check_labels(torch.zeros(4).long(), mask, 4, allow_none=True)
    with pytest.raises(ValueError, match="'mask' selects no node"):
        selected_nodes(mask, 4)


def test_each_class_has_an_output():
    y, mask = torch.tensor([0, 5, 2]), torch.tensor([0, 2])
    check_labels(y, mask, 3, num_classes=3)
    with pytest.raises(ValueError, match="'y' must .*below 2, .*got 2"):
        check_labels(y, mask, 3, num_classes=2)
    with pytest.raises(ValueError, match='two classes need two outputs'):
        check_labels(y, mask, 3, num_classes=1)


def test_no_labelled_index_is_refused():
    with pytest.raises(ValueError, match='selects no node'):
        check_labels(torch.zeros(3).long(), torch.tensor([]).long(), 3)


@pytest.mark.parametrize('value', [None, 'abc', True, 1j, [0.5], EDGES, b'1'])
@pytest.mark.parametrize(
    'check', [check_positive, check_probability, check_share, check_number]
)
def test_what_is_no_number_is_refused(check, value):
    with pytest.raises(TypeError, match="'rho' must be a number, got"):
        check(value, 'rho')


@pytest.mark.parametrize(
    'value', [np.float32(0.5), np.float64(0.5), torch.tensor(0.5)]
)
def test_scalars_of_other_libraries_are_numbers(value):
    for check in (check_positive, check_probability, check_share):
        assert type(check(value, 'rho')) is float
        assert check(value, 'rho') == 0.5


def test_an_int_beyond_all_floats_is_infinite():
    with pytest.raises(ValueError, match='positive and finite'):
        check_positive(10**400, 'beta')


@pytest.mark.parametrize('value', [3, np.int64(3), torch.tensor(3)])
def test_good_counts_pass(value):
    assert type(check_count(value, 'k')) is int
    assert check_count(value, 'k', least=3, most=3) == 3


@pytest.mark.parametrize(
    'value', [None, '3', 3.0, True, np.bool_(True), torch.tensor([1, 2])]
)
def test_what_is_no_count_is_refused(value):
    with pytest.raises(TypeError, match="'k' must be an int, got"):
        check_count(value, 'k')


@pytest.mark.parametrize('value', [-1, 10**30, 2**63])
def test_counts_out_of_range_are_refused(value):
    with pytest.raises(ValueError, match=f"'k' must be at .* got {value}"):
        check_count(value, 'k')


def test_seeds_are_those_of_a_generator():
    for value in (0, -(2**63), 2**64 - 1):
        torch.Generator().manual_seed(check_seed(value))
    with pytest.raises(ValueError, match="'seed' must be at most"):
        check_seed(2**64)


def test_flags():
    assert check_flag(np.bool_(True), 'mutual') is True
    for value in (None, 1, 'yes'):
        with pytest.raises(TypeError, match="'mutual' must be a bool"):
            check_flag(value, 'mutual')


def test_node_ids_are_tensors():
    for value in (None, [0, 1], np.arange(2), torch.eye(2).to_sparse()):
        with pytest.raises(TypeError, match="'node_id' must be a"):
            check_node_id(value, 3)


def test_masks_have_one_bool_for_each_node():
    check_node_mask(torch.tensor([True, False]), 2, 'train')
    with pytest.raises(TypeError, match="'train' must be a torch.Tensor"):
        check_node_mask(None, 2, 'train')
    for mask in (torch.tensor([0, 1]), torch.ones(2, 2).bool()):
        with pytest.raises(ValueError, match=r"'train' must be a mask of sha"):
            check_node_mask(mask, 2, 'train')


def test_empty_graphs_and_loops_where_they_are_allowed():
    check_edge_index(EDGES[:, :0], 3, empty=True)
    check_edge_index(torch.tensor([[0, 2], [1, 2]]), 3, loops=True)


def test_nodes_are_counted_in_homogeneous_graphs_only():
    assert count_nodes(Data(x=torch.rand(3, 2))) == 3
    for data in (None, HeteroData(), EDGES):
        with pytest.raises(TypeError, match="'data' must be a .*one type"):
            count_nodes(data)
    with pytest.raises(ValueError, match="'data' must have nodes.*nothing"):
        count_nodes(Data())
    infinite = torch.tensor([[0.0], [INF]])
    with pytest.raises(ValueError, match='tell the number of nodes'):
        count_nodes(Data(edge_index=infinite))
    with pytest.raises(TypeError, match="'data.num_nodes' must be an int"):
        count_nodes(Data(num_nodes=2.5))


def test_kinds():
    check_kind(1, (int, str), 'name')
    with pytest.raises(TypeError, match="'name' must be a int or str, got li"):
        check_kind([], (int, str), 'name')
    assert check_path('folder', 'root').name == 'folder'
    check_callable(None, 'transform')
    with pytest.raises(TypeError, match="'transform' must be callable"):
        check_callable(3, 'transform')
