r"""All systems; a new one is a file here and a line below."""

from systems.gcn import GCN
from systems.gcn_on_knn import GCNOnKNN
from systems.vgcn import VGCN
from systems.vgcn_discrete import VGCNDiscrete
from systems.vgcn_low_rank import VGCNLowRank
from systems.vgcn_relaxed import VGCNRelaxed, VGCNRelaxed3

SYSTEMS = (
    VGCN,
    VGCNRelaxed,
    VGCNRelaxed3,
    VGCNLowRank,
    VGCNDiscrete,
    GCN,
    GCNOnKNN,
)
