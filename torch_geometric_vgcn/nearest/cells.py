import torch
from torch import Tensor

from torch_geometric_vgcn.utils import (
    SIZE,
    Instance,
    at_least,
    check_count,
    checked,
    progress_bar,
)

#: How many scores are held at a time.
SCORES = 2**24
#: How many rows show the direction in which a cell is longest.
SAMPLE = 1000
#: How many more rows than needed are found by fast scores, which are rounded.
SPARE = 8


class Cells:
    r"""An index for the nearest rows by Euclidean distance: the rows are cut
    into cells of about equally many, each by halves along its longest
    direction; a query is compared with the rows of the cells whose centres
    are nearest to it. With one cell, the search is exact.

    Time and memory grow with the number of rows, never with its square.

    Args:
        x (Tensor): The rows, of shape :obj:`[N, F]`, dense.
        size (int, optional): How many rows a cell has at most.
            (default: :obj:`1024`)
        probes (int, optional): With how many cells a query is compared.
            (default: :obj:`16`)
        seed (int, optional): The seed. (default: :obj:`0`)
    """

    @checked(x=Instance(Tensor), size=at_least(2), probes=SIZE)
    def __init__(
        self, x: Tensor, size: int = 1024, probes: int = 16, seed: int = 0
    ) -> None:
        if x.dim() != 2 or x.layout != torch.strided or x.numel() == 0:
            raise ValueError(
                "'x' must be a dense matrix of shape [N, F] with rows, got "
                f'{x.layout} of shape {list(x.shape)}'
            )
        self.x = x
        self.size = size
        self.probes = probes
        generator = torch.Generator(x.device).manual_seed(seed)
        cells = [torch.arange(x.size(0), device=x.device)]
        while max(cell.numel() for cell in cells) > self.size:
            cells = [h for cell in cells for h in self._cut(cell, generator)]
        self.cells = cells
        self.centre = torch.stack([x[cell].mean(dim=0) for cell in cells])

    def _cut(
        self, cell: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, ...]:
        r"""A cell, or its two halves if it is too large."""
        if cell.numel() <= self.size:
            return (cell,)
        few = torch.randint(
            cell.numel(), (SAMPLE,), generator=generator, device=cell.device
        )
        some = self.x[cell[few]]
        some = some - some.mean(dim=0)
        along = torch.randn(
            self.x.size(1), generator=generator, device=cell.device
        ).to(some)
        for _ in range(8):  # towards the first principal direction
            along = some.t() @ (some @ along)
            along = along / along.norm().clamp(min=1e-30)
        order = (self.x[cell] @ along).argsort(stable=True)
        return cell[order].tensor_split(2)

    @torch.no_grad()
    def nearest(
        self,
        query: Tensor,
        k: int,
        own: bool = False,
        progress: bool = False,
    ) -> tuple[Tensor, Tensor]:
        r"""The distances and the places of the nearest rows, each of shape
        :obj:`[Q, k]`, the nearest first, of equally near ones that of the
        lowest index.

        Args:
            query (Tensor): The queries, of shape :obj:`[Q, F]`.
            k (int): The number of neighbours, at most the number of other
                rows.
            own (bool, optional): Whether the queries are the rows
                themselves: no row is then its own neighbour.
                (default: :obj:`False`)
            progress (bool, optional): Whether to show a progress bar.
                (default: :obj:`False`)
        """
        others = self.x.size(0) - own
        k = check_count(k, 'k', least=1)
        if k > others:
            raise ValueError(f"'k' must be at most {others}, got {k}")
        most = min(k + SPARE + own, self.x.size(0))
        # As many cells as have enough rows:
        probes = max(self.probes, -(-2 * most // self.size))
        cell, visitor = self._visits(query, min(probes, len(self.cells)))
        score = query.new_full((query.size(0), most), -torch.inf)
        row = cell.new_full(score.shape, -1)
        numbers = torch.arange(len(self.cells) + 1, device=cell.device)
        bound = torch.searchsorted(cell, numbers).tolist()
        for number, members in enumerate(
            progress_bar(
                self.cells,
                disable=not progress,
                leave=False,
                desc='nearest rows',
            )
        ):
            rows = self.x[members]
            half = rows.square().sum(dim=1) / 2
            visitors = visitor[bound[number] : bound[number + 1]]
            for some in visitors.split(max(1, SCORES // members.numel())):
                near = torch.addmm(-half, query[some], rows.t())
                best = near.topk(min(most, members.numel()), sorted=False)
                both = torch.cat([score[some], best.values], dim=1)
                found = torch.cat([row[some], members[best.indices]], dim=1)
                top = both.topk(most, sorted=False)
                score[some] = top.values
                row[some] = found.gather(1, top.indices)
        return self._ranked(query, row, k, own)

    def _visits(self, query: Tensor, probes: int) -> tuple[Tensor, Tensor]:
        r"""Which cells are visited by which queries, sorted by cell."""
        half = self.centre.square().sum(dim=1) / 2
        cells = [
            torch.addmm(-half, part, self.centre.t()).topk(probes).indices
            for part in query.split(max(1, SCORES // len(self.cells)))
        ]
        visited, order = torch.cat(cells).flatten().sort(stable=True)
        return visited, order // probes

    def _ranked(
        self, query: Tensor, row: Tensor, k: int, own: bool
    ) -> tuple[Tensor, Tensor]:
        r"""The nearest of the rows that were found, by exact distances."""
        distances, places = [], []
        step = max(1, SCORES // (row.size(1) * query.size(1)))
        start = 0
        for some in row.split(step):
            some = some.sort(dim=1).values
            part = query[start : start + some.size(0)].double()
            near = self.x[some.clamp(min=0)].double()
            distance = (near - part.unsqueeze(1)).norm(dim=-1)
            out = some < 0
            if own:
                place = torch.arange(some.size(0), device=some.device) + start
                out |= some == place.unsqueeze(1)
            distance = distance.masked_fill(out, torch.inf)
            distance, order = distance.sort(dim=1, stable=True)
            distances.append(distance[:, :k])
            places.append(some.gather(1, order[:, :k]))
            start += some.size(0)
        return torch.cat(distances), torch.cat(places)

    def __repr__(self) -> str:
        return f'{type(self).__name__}({len(self.cells)})'
