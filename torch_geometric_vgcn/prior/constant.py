import torch

from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.prior.base import Prior, logit
from torch_geometric_vgcn.utils import check_kind, check_probability


class ConstantPrior(Prior):
    r"""The same probability for each of the pairs,
    :math:`\rho^o_{ij} = \rho`: no graph was observed.

    Args:
        pairs (Pairs): The pairs with a logit of their own.
        rho (float): Their probability :math:`\rho`.
        background (float, optional): The probability of the pairs outside
            :obj:`pairs`. (default: :obj:`1e-5`, less for graphs larger than
            Citeseer)
    """

    def __init__(
        self,
        pairs: Pairs,
        rho: float,
        background: float | None = None,
    ) -> None:
        check_kind(pairs, Pairs, 'pairs')
        value = logit(check_probability(rho, 'rho'))
        logits = torch.full((len(pairs),), value, device=pairs.device)
        super().__init__(pairs, logits, background)
