import math

import torch
from torch import Tensor

from torch_geometric_vgcn.objective.base import Objective
from torch_geometric_vgcn.sample import GraphSample


class IWELBO(Objective):
    r"""The importance-weighted bound of the paper's appendix

    .. math::
        \mathcal{L} = \sum_n \log \frac{1}{S} \sum_{s=1}^S \exp \left[
        \log p(y_n \mid \mathbf{X}, \mathbf{A}^{(s)}) -
        \frac{\beta}{|\mathcal{Y}^o|} \log
        \frac{q(\mathbf{A}^{(s)})}{p(\mathbf{A}^{(s)})} \right].

    Its parts are the mean divergence :math:`\overline{\mathrm{KL}}` of the
    graphs, and the log-likelihood in which a graph counts the more, the less
    its own divergence is

    .. math::
        \mathcal{L} + \beta\, \overline{\mathrm{KL}} =
        \sum_n \log \frac{1}{S} \sum_{s=1}^S
        p(y_n \mid \mathbf{X}, \mathbf{A}^{(s)}) \exp \left[
        \frac{\beta}{|\mathcal{Y}^o|} \left( \overline{\mathrm{KL}} -
        \mathrm{KL}^{(s)} \right) \right].

    .. note::
        With one labelled node, or one sample, and :math:`\beta = 1` this is a
        lower bound of the log-evidence, tighter with each sample. With more
        of both it weights the graphs separately for each node, and can exceed
        the log-evidence where the labels of nodes contradict each other; use
        :class:`ELBO` where a bound is needed.
    """

    def estimate(
        self, log_prob: Tensor, kl: Tensor, sample: GraphSample, scale: float
    ) -> Tensor:
        if not sample.pathwise:
            raise TypeError(
                'IWELBO needs samples with a pathwise gradient '
                '(BinaryConcrete, StraightThroughBernoulli), got '
                'score-function ones: use ELBO'
            )
        if log_prob.size(1) == 0:
            # Plus nothing, so that the network has a gradient of zero:
            return log_prob.sum() - self.beta * kl.mean()
        num_labeled = scale * log_prob.size(1)
        log_weight = log_prob - (self.beta / num_labeled) * kl.unsqueeze(1)
        log_mean = torch.logsumexp(log_weight, dim=0) - math.log(len(sample))
        return scale * log_mean.sum()
