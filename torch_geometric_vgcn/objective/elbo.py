from torch import Tensor

from torch_geometric_vgcn.objective.base import Objective
from torch_geometric_vgcn.sample import GraphSample


class ELBO(Objective):
    r"""The evidence lower bound

    .. math::
        \mathcal{L} = \frac{1}{S} \sum_{s=1}^S \left[ \sum_n
        \log p(y_n \mid \mathbf{X}, \mathbf{A}^{(s)}) - \beta\,
        \mathrm{KL}^{(s)} \right].

    Where samples have no pathwise gradient, the logits get the score-function
    gradient, with the mean of the other samples' log-likelihoods as baseline.
    """

    def bound(
        self, log_prob: Tensor, kl: Tensor, sample: GraphSample, scale: float
    ) -> Tensor:
        likelihood = scale * log_prob.sum(dim=1)
        bound = (likelihood - self.beta * kl).mean()
        if sample.log_prob is not None:
            s = len(sample)
            if s < 2:
                raise ValueError(
                    'the score-function gradient needs the other samples as '
                    f"baseline: 'num_samples' must be at least 2, got {s}"
                )
            # f - (mean of the others) = (f - mean) * S / (S - 1)
            advantage = (likelihood - likelihood.mean()) * s / (s - 1)
            score = (advantage.detach() * sample.log_prob).mean()
            bound = bound + (score - score.detach())
        return bound
