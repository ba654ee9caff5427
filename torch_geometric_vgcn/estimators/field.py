import torch
from torch import Tensor

from torch_geometric_vgcn.estimators.targets import Targets
from torch_geometric_vgcn.kernels.compressed_rows import kernels_work
from torch_geometric_vgcn.prior import Prior

#: The number of sweeps, and the change below which they end.
SWEEPS, CLOSE = 30, 1e-3
#: How often edges and expectations are brought in line with each other.
TURNS = 2


class Field:
    r"""What is expected of each row, given what the network says of it, the
    labels and the graph: the mean of a Gaussian field on the uncertain graph,
    which minimises

    .. math::
        \mathbb{E}_{q(\mathbf{A})} \Big[ \sum_i \| \mathbf{m}_i - \mathbf{f}_i
        \|^2 + \sum_{i < j} A_{ij} \| \mathbf{m}_i - \mathbf{m}_j \|^2 \Big]

    for the network's predictions :math:`\mathbf{f}`, with :math:`\mathbf{m}_i
    = \mathbf{y}_i` where the label is known. It depends on the edges'
    probabilities only, so that no graph has to be sampled, and is found by
    sweeps

    .. math::
        \mathbf{m}_i \leftarrow \frac{\mathbf{f}_i + \sum_j q_{ij}
        \mathbf{m}_j}{1 + \sum_j q_{ij}}.

    In turn the edges are inferred from what is expected of their ends:
    :math:`\mathrm{logit}\, q_{ij} = \theta^o_{ij} + t(\mathbf{m}_i,
    \mathbf{m}_j)`, with the term of
    :class:`~torch_geometric_vgcn.ClassPosterior` for classes.

    Args:
        prior (Prior): The prior, with logits :math:`\theta^o`.
        targets (Targets): What is known of the rows.
        learn (bool, optional): Whether edges are inferred; otherwise they
            keep their prior. (default: :obj:`True`)
    """

    def __init__(
        self, prior: Prior, targets: Targets, learn: bool = True
    ) -> None:
        self.prior = prior
        self.targets = targets
        self.learn = learn

    @torch.no_grad()
    def __call__(self, own: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        r"""The expectations of all rows, of shape :obj:`[N, D]`, and the
        edges' logits.

        Args:
            own (Tensor): The network's predictions, of shape
                :obj:`[N, D]`.
            rows (Tensor): The rows whose labels are used.
        """
        own = own.clone()
        own[rows] = self.targets.value[rows]
        mean, logits = own, self.prior.logits
        for _ in range(TURNS if self.learn else 1):
            if self.learn:
                term = self.targets.edge_term(mean, self.prior.pairs)
                logits = self.prior.logits + term
            mean = self._smooth(logits.sigmoid(), own, mean, rows)
        return mean, logits

    def _smooth(
        self, prob: Tensor, own: Tensor, mean: Tensor, rows: Tensor
    ) -> Tensor:
        pattern = self.prior.pairs.pattern
        kernels_work(own.device, own.dtype)  # which warns only here
        entries = pattern.entries(prob.unsqueeze(0))
        one = torch.ones_like(own[:, :1])
        total = 1 + pattern.product(entries, one.unsqueeze(0))[0]
        for _ in range(SWEEPS):
            near = pattern.product(entries, mean.unsqueeze(0))[0]
            new = near.add_(own).div_(total)
            new[rows] = own[rows]
            change = float((new - mean).abs().max())
            mean = new
            if change < CLOSE:
                break
        return mean
