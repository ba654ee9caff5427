import torch
from torch import Tensor

from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample.background import draw_background
from torch_geometric_vgcn.sample.base import Sampler
from torch_geometric_vgcn.sample.graph_sample import Edges, GraphSample, Noise
from torch_geometric_vgcn.validate import check_positive


class BinaryConcrete(Sampler):
    r"""Relaxed edges from the binary Concrete distribution of the `"The
    Concrete Distribution" <https://arxiv.org/abs/1611.00712>`_ paper

    .. math::
        A_{ij} = \sigma(B_{ij}), \quad B_{ij} = (\theta_{ij} + L) / \tau,
        \quad L \sim \mathrm{Logistic}(0, 1),

    with a pathwise gradient to each logit.

    Pairs outside the candidates that come out below a threshold
    :math:`\epsilon` are left out. It is chosen so that the weight that a node
    loses, about :math:`N \bar\rho_0 \epsilon^{1-\tau} \tau / (1-\tau)`, stays
    under :obj:`tolerance`.

    Args:
        temperature (float, optional): The temperature :math:`\tau`.
            (default: :obj:`0.5`)
        tolerance (float, optional): How much weight of background pairs a
            node may lose on average. (default: :obj:`1e-3`)
    """

    def __init__(
        self, temperature: float = 0.5, tolerance: float = 1e-3
    ) -> None:
        super().__init__()
        self.temperature = check_positive(temperature, 'temperature')
        self.tolerance = check_positive(tolerance, 'tolerance')

    def check(self, prior: Prior) -> None:
        if prior.has_background:
            self.threshold(prior)

    def threshold(self, prior: Prior) -> float:
        r"""The weight :math:`\epsilon` below which background pairs are left
        out.
        """
        tau = self.temperature
        if tau >= 1:
            raise ValueError(
                "'temperature' must be below 1 with candidate pairs (nearly "
                f'all background pairs would have some weight), got {tau}: '
                'lower it or use AllPairs'
            )
        odds = prior.background / (1 - prior.background)
        share = self.tolerance * (1 - tau) / (prior.num_nodes * odds * tau)
        limit = share ** (1 / (1 - tau))
        return min(limit / (1 + limit), 0.5)

    def background(
        self, prior: Prior, generator: torch.Generator | None = None
    ) -> Edges:
        tau, theta = self.temperature, prior.background_logit
        cut = torch.tensor(self.threshold(prior), dtype=torch.double).logit()
        prob = float(torch.sigmoid(theta - tau * cut))
        index = draw_background(prior.pairs, prob, generator)
        # Given that it exceeds the threshold, the noise's upper tail
        # probability is uniform below 'prob':
        tail = prob * (
            1
            - torch.rand(
                index.size(1),
                generator=generator,
                dtype=prior.logits.dtype,
                device=index.device,
            )
        )
        return Edges(index, torch.sigmoid((theta - tail.logit()) / tau))

    def forward(
        self, prior: Prior, logits: Tensor, noise: Noise
    ) -> GraphSample:
        relaxed = (logits + noise.logistic) / self.temperature
        return GraphSample(
            prior,
            logits,
            relaxed.sigmoid(),
            relaxed=relaxed,
            temperature=self.temperature,
            background=noise.background,
        )

    def extra_repr(self) -> str:
        return f'temperature={self.temperature:.3g}'
