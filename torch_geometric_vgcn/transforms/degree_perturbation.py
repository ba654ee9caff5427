import torch
from torch import Tensor
from torch_geometric.utils import degree

from torch_geometric_vgcn.transforms.perturbation import Flips, Perturbation


class DegreePerturbation(Perturbation):
    r"""Adds and removes the edges between the nodes of the most edges, by the
    sum :math:`d_i + d_j`: a baseline for :class:`PoisonGraph` that needs no
    spectrum.

    Args:
        add (int, optional): The number of edges to add. (default: :obj:`0`)
        remove (int, optional): The number of edges to remove.
            (default: :obj:`0`)
        seed (int, optional): The seed of what is left to chance.
            (default: :obj:`0`)
        candidates (int, optional): How many random pairs there are to choose
            from, for each edge to add. (default: :obj:`10`)
    """

    def score(self, flips: Flips, generator: torch.Generator) -> Tensor:
        degrees = degree(flips.edges.flatten(), flips.num_nodes)
        return degrees[flips.pairs].sum(dim=0)
