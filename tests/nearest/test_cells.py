import pytest
import torch

from torch_geometric_vgcn.nearest import (
    Cells,
    CellSearch,
    Cosine,
    ExactSearch,
    Minkowski,
)


@pytest.fixture
def x():
    return torch.randn(600, 5)


def test_one_cell_is_an_exact_search(x):
    distance, row = Cells(x, size=600).nearest(x, 7, own=True)
    expected = torch.cdist(x.double(), x.double()).fill_diagonal_(torch.inf)
    expected = expected.topk(7, largest=False)
    torch.testing.assert_close(distance, expected.values)
    assert torch.equal(row, expected.indices)


def test_cells_are_about_equally_large_and_hold_each_row_once(x):
    cells = Cells(x, size=50).cells
    assert {cell.numel() for cell in cells} <= {37, 38}
    assert torch.equal(torch.cat(cells).sort().values, torch.arange(600))


def test_most_neighbours_are_found(x):
    exact = ExactSearch()(x, 10, Minkowski(2))
    found = CellSearch(size=32, probes=12)(x, 10, Minkowski(2))
    both = zip(exact, found, strict=True)
    hits = [torch.isin(a, b).float().mean() for a, b in both]
    assert torch.stack(hits).mean() > 0.9


def test_all_cells_are_all_rows(x):
    x = x.double()
    for metric in (Minkowski(2), Cosine()):
        found = CellSearch(size=32, probes=100)(x, 10, metric)
        assert torch.equal(found, ExactSearch()(x, 10, metric))


def test_empty_features_are_nobodys_neighbours():
    x = torch.rand(600, 40) ** 20  # few have much in common
    x[5] *= 1e-20  # hardly anything, but it has a direction
    expected = ExactSearch()(x, 10, Cosine())
    x[[2, 300]] = 0
    found = CellSearch(size=32, probes=100)(x, 10, Cosine())
    others = torch.arange(600)[x.any(dim=1)]
    assert not torch.isin(found[others], torch.tensor([2, 300])).any()
    without = ~torch.isin(expected, torch.tensor([2, 300])).any(dim=1)
    without &= x.any(dim=1)
    assert torch.equal(found[without], expected[without])


def test_equal_rows_are_no_trouble():
    x = torch.zeros(300, 2)
    distance, row = Cells(x, size=20).nearest(x, 5, own=True)
    assert (distance == 0).all()
    assert (row != torch.arange(300).view(-1, 1)).all()


def test_more_neighbours_than_a_cell_has(x):
    _, row = Cells(x, size=4, probes=1).nearest(x, 30, own=True)
    assert row.shape == (600, 30) and (row >= 0).all()


def test_a_query_is_answered_as_if_it_were_alone(x):
    cells, query = Cells(x, size=32), torch.randn(40, 5)
    many = cells.nearest(query, 3)
    one = [cells.nearest(q.unsqueeze(0), 3)[1] for q in query]
    assert torch.equal(many[1], torch.cat(one))


def test_the_same_seed_gives_the_same_cells(x):
    first, again = Cells(x, 32, seed=1), Cells(x, 32, seed=1)
    assert all(map(torch.equal, first.cells, again.cells))


def test_what_it_cannot_do(x):
    with pytest.raises(TypeError, match="'x' must be dense"):
        CellSearch()(x.to_sparse(), 3, Cosine())
    with pytest.raises(ValueError, match=r"'metric' must be Cosine"):
        CellSearch()(x, 3, Minkowski(1))
    with pytest.raises(ValueError, match="'k' must be at most 599"):
        Cells(x).nearest(x, 600, own=True)
    with pytest.raises(ValueError, match="'x' must be a dense matrix"):
        Cells(x[0])
