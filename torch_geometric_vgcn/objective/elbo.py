from torch import Tensor

from torch_geometric_vgcn.objective.base import Objective
from torch_geometric_vgcn.sample import GraphSample


class ELBO(Objective):
    r"""The evidence lower bound

    .. math::
        \mathcal{L} = \frac{1}{S} \sum_{s=1}^S \left[ \sum_n
        \log p(y_n \mid \mathbf{X}, \mathbf{A}^{(s)}) - \beta\,
        \mathrm{KL}^{(s)} \right].

    It is a lower bound of the log-evidence for :math:`\beta \geq 1`, on
    average over samples, if its divergence is that of the samples:
    :class:`BernoulliKL` for discrete ones, :class:`LogisticKL` for relaxed
    ones. With :math:`\beta < 1` it is tempered, and may exceed it.

    Where samples have no pathwise gradient, the logits get the score-function
    gradient, with the mean of the other samples' log-likelihoods as baseline.
    """

    def estimate(
        self, log_prob: Tensor, kl: Tensor, sample: GraphSample, scale: float
    ) -> Tensor:
        likelihood = scale * log_prob.sum(dim=1)
        bound = (likelihood - self.beta * kl).mean()
        return bound if sample.pathwise else bound + sample.score(likelihood)
