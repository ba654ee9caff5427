from typing import Any

from systems.vgcn import VGCN
from torch_geometric_vgcn import VariationalGraphLearner


class VGCNFrozen(VGCN):
    r"""VGCN with the posterior kept at the prior: graphs are sampled, but
    nothing is learned of them.
    """

    title = 'VGCN frozen'

    def learner(self, *args: Any) -> VariationalGraphLearner:
        learner = super().learner(*args)
        learner.posterior.requires_grad_(False)
        return learner
