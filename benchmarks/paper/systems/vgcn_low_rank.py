from systems.vgcn_relaxed import VGCNRelaxed
from torch_geometric_vgcn import LowRankPosterior
from torch_geometric_vgcn.posterior import Posterior


class VGCNLowRank(VGCNRelaxed):
    r"""The paper's low-rank posterior, of rank 100, relaxed."""

    title = 'VGCN low-rank'

    def posterior(self) -> Posterior:
        return LowRankPosterior(rank=100)
