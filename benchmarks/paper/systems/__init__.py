r"""All systems, in the order of tables and figures."""

from systems.gat import GAT
from systems.gcn import GCN
from systems.mlp import MLP
from systems.rgcn import RGCN
from systems.sage import SAGE

SYSTEMS = (
    MLP,
    GCN,
    SAGE,
    GAT,
    RGCN,
)
