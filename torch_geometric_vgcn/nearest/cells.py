import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.metric import Metric

#: How many rows a cell has at most, and of how many cells the rows are
#: compared.
SIZE, PROBES = 1024, 16
#: How many scores are held at a time.
SCORES = 2**24
#: How many rows show the direction in which a cell is longest.
SAMPLE = 1000
#: How many more rows than needed are found by fast scores, which are rounded.
SPARE = 8


@torch.no_grad()
def near_cells(x: Tensor, k: int, metric: Metric) -> Tensor:
    r"""Most of the nearest rows by Euclidean distance, :obj:`[N, k]`, in time
    and memory that grow with the number of rows: these are cut into cells, and
    each is compared with the rows of the cells whose centres are nearest to
    it. Rows with a norm of one are in the order of their cosines.

    Args:
        x (Tensor): The rows, dense, of shape :obj:`[N, F]`.
        k (int): The number of neighbours.
        metric (Metric): Not used: the features are scaled for it.
    """
    cells = _cut(x)
    most = min(k + SPARE + 1, x.size(0))
    # As many cells as have enough rows:
    probes = min(max(PROBES, -(-2 * most // SIZE)), len(cells))
    centre = torch.stack([x[cell].mean(dim=0) for cell in cells])
    half = centre.square().sum(dim=1) / 2
    visited = [
        torch.addmm(-half, part, centre.t()).topk(probes).indices
        for part in x.split(max(1, SCORES // len(cells)))
    ]
    cell, order = torch.cat(visited).flatten().sort(stable=True)
    visitor = order // probes
    score = x.new_full((x.size(0), most), -torch.inf)
    row = cell.new_full(score.shape, -1)
    count = torch.bincount(cell, minlength=len(cells)).tolist()
    for members, visitors in zip(cells, visitor.split(count), strict=True):
        rows = x[members]
        half = rows.square().sum(dim=1) / 2
        for some in visitors.split(max(1, SCORES // members.numel())):
            near = torch.addmm(-half, x[some], rows.t())
            best = near.topk(min(most, members.numel()), sorted=False)
            both = torch.cat([score[some], best.values], dim=1)
            found = torch.cat([row[some], members[best.indices]], dim=1)
            top = both.topk(most, sorted=False)
            score[some] = top.values
            row[some] = found.gather(1, top.indices)
    return _ranked(x, row, k)


def _cut(x: Tensor) -> list[Tensor]:
    r"""Cells of about equally many rows, each cut by halves along its longest
    direction.
    """
    generator = torch.Generator(x.device).manual_seed(0)
    cells = [torch.arange(x.size(0), device=x.device)]
    while max(cell.numel() for cell in cells) > SIZE:
        halves: list[Tensor] = []
        for cell in cells:
            large = cell.numel() > SIZE
            halves += _halves(x, cell, generator) if large else [cell]
        cells = halves
    return cells


def _halves(
    x: Tensor, cell: Tensor, generator: torch.Generator
) -> tuple[Tensor, ...]:
    few = torch.randint(
        cell.numel(), (SAMPLE,), generator=generator, device=cell.device
    )
    some = x[cell[few]]
    some = some - some.mean(dim=0)
    along = torch.randn(x.size(1), generator=generator, device=x.device)
    along = along.to(some)
    for _ in range(8):  # towards the first principal direction
        along = some.t() @ (some @ along)
        along = along / along.norm().clamp(min=1e-30)
    order = (x[cell] @ along).argsort(stable=True)
    return cell[order].tensor_split(2)


def _ranked(x: Tensor, row: Tensor, k: int) -> Tensor:
    r"""The nearest of the rows that were found, by exact distances."""
    out, start = [], 0
    for some in row.split(max(1, SCORES // (row.size(1) * x.size(1)))):
        some = some.sort(dim=1).values
        place = torch.arange(some.size(0), device=x.device) + start
        near = x[some.clamp(min=0)].double()
        distance = (near - x[place].double().unsqueeze(1)).norm(dim=-1)
        wrong = (some < 0) | (some == place.unsqueeze(1))
        distance = distance.masked_fill(wrong, torch.inf)
        order = distance.sort(dim=1, stable=True).indices[:, :k]
        out.append(some.gather(1, order))
        start += some.size(0)
    return torch.cat(out)
