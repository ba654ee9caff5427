r"""All systems. To add one, add a file here and a line below."""

from benchmarks.paper.systems.base import System, blind
from benchmarks.paper.systems.egcn import EGCN
from benchmarks.paper.systems.free import FreeAdam, FreeFrozen, FreeSGD
from benchmarks.paper.systems.gat import GAT
from benchmarks.paper.systems.gcn import GCN, MLP, GCNOnKNN
from benchmarks.paper.systems.gcn_jaccard import GCNJaccard
from benchmarks.paper.systems.gcn_svd import GCNSVD
from benchmarks.paper.systems.ggp import GGP
from benchmarks.paper.systems.lds import LDS
from benchmarks.paper.systems.recipe import RECIPES
from benchmarks.paper.systems.rgcn import RGCN
from benchmarks.paper.systems.sage import SAGE
from benchmarks.paper.systems.vgcn import VGCN
from benchmarks.paper.systems.vgcn_relaxed import (
    VGCNDiscrete,
    VGCNLowRank,
    VGCNRelaxed,
    VGCNRelaxed3,
)

SYSTEMS: dict[str, System] = {
    each.title: each
    for each in (
        VGCN(),
        VGCNRelaxed(),
        VGCNRelaxed3(),
        VGCNLowRank(),
        VGCNDiscrete(),
        GCN(),
        SAGE(),
        GAT(),
        RGCN(),
        LDS(),
        EGCN(),
        GGP(),
        MLP(),
        GCNOnKNN(),
        GCNJaccard(),
        GCNSVD(),
        *RECIPES,
        FreeSGD(),
        FreeAdam(),
        FreeFrozen(),
    )
}

__all__ = ['SYSTEMS', 'System', 'blind']
