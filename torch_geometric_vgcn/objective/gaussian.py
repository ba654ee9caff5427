import math
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor
from torch.nn import Parameter

from torch_geometric_vgcn.objective.likelihood import (
    EntryLikelihood,
    check_outputs,
)
from torch_geometric_vgcn.utils import (
    SIZE,
    check_floats,
    check_kind,
    checked,
    wide,
)


class GaussianPrediction(NamedTuple):
    r"""The predicted mean and variance of each target, both of the shape of
    the labels: :obj:`mean, variance = learner.predict(x)`.

    Args:
        mean (Tensor): The mean, of shape :obj:`[N]` or :obj:`[N, D]`.
        variance (Tensor): The variance, of the same shape: of the noise and
            between graphs.
    """

    mean: Tensor
    variance: Tensor

    @property
    def std(self) -> Tensor:
        r"""The standard deviation of each target."""
        return self.variance.sqrt()


class Gaussian(EntryLikelihood):
    r"""The regression likelihood

    .. math::
        p(\mathbf{y}_n \mid \mathbf{X}, \mathbf{A}) = \prod_d
        \mathcal{N}(y_{nd} \mid f_{nd}, \sigma_d^2)

    of a network's outputs :math:`\mathbf{f}`, one mean for each target, with
    one learned variance of the noise for each target. Predictions have the
    mean and, by the law of total variance, the variance of the mixture over
    :math:`S` graphs,

    .. math::
        \bar{f}_{nd} = \frac{1}{S} \sum_s f_{nd}^{(s)}, \quad
        v_{nd} = \sigma_d^2 + \frac{1}{S} \sum_s (f_{nd}^{(s)} -
        \bar{f}_{nd})^2, \quad v'_{nd} = T v_{nd}.

    The noise is the same for all nodes: what differs between nodes is how far
    graphs disagree. Networks need no further outputs for it, and can't
    explain nodes that are hard to predict as noise, which would take away
    their gradient (`"On the Pitfalls of Heteroscedastic Uncertainty
    Estimation" <https://arxiv.org/abs/2203.09168>`_).

    The score is :math:`R^2`, averaged over targets. Entries of :obj:`y` that
    are NaN are unknown.

    .. note::
        The variance starts at one: standardise the targets,
        :obj:`(y - y[train_mask].mean(0)) / y[train_mask].std(0)`.

    Args:
        num_targets (int, optional): The number :math:`D` of targets, for
            labels and predictions of shape :obj:`[N, D]`. (default:
            :obj:`None`, one target, for labels and predictions of shape
            :obj:`[N]`)
    """

    score: ClassVar[str] = 'r2'

    log_variance: Tensor

    @checked(num_targets=SIZE)
    def __init__(self, num_targets: int | None = None) -> None:
        super().__init__()
        self.num_targets = num_targets
        self.log_variance = Parameter(torch.zeros(num_targets or 1))

    @property
    def variance(self) -> Tensor:
        r"""The variance of the noise :math:`\sigma^2`, of shape
        :obj:`[D]`.
        """
        return self.log_variance.exp()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        super().reset_parameters()
        self.log_variance.zero_()

    def check_shape(
        self, y: Tensor, num_nodes: int, num_outputs: int | None
    ) -> None:
        targets = self.num_targets
        shape = [num_nodes] if targets is None else [num_nodes, targets]
        if list(y.shape) != shape:
            hint = ''
            if y.dim() == 2 and y.size(0) == num_nodes:
                hint = f': use Gaussian(num_targets={y.size(1)})'
            raise ValueError(
                f"'y' must have shape {shape}, one number for each target of "
                f'{self}, got {list(y.shape)}{hint}'
            )
        if not y.is_floating_point():
            raise TypeError(
                f"'y' must hold floating-point targets, got {y.dtype}"
            )
        if num_outputs is not None:
            self._check_num_outputs(num_outputs)

    def _check_num_outputs(self, num_outputs: int) -> None:
        if num_outputs != self.log_variance.numel():
            raise ValueError(
                'the network must have one output for each target of '
                f'{self} ({self.log_variance.numel()}), got {num_outputs}'
            )

    def check_values(self, y: Tensor) -> None:
        infinite = int(y.isinf().sum())
        if infinite > 0:
            raise ValueError(
                f"'y' must be finite, or NaN where a target is unknown, got "
                f'{infinite} infinite values'
            )

    def log_prob_of_entries(self, out: Tensor, y: Tensor) -> Tensor:
        return _log_normal(y - out, self.log_variance)

    def mean(self, out: Tensor) -> Tensor:
        r"""What is to be averaged over graphs: the first two moments of the
        outputs, of shape :obj:`[..., n, D, 2]`.
        """
        check_outputs(out)
        self._check_num_outputs(out.size(-1))
        # The variance is the small difference of large numbers:
        out = out.to(wide(out.device))
        return torch.stack([out, out.square()], dim=-1)

    def calibrated(self, mean: Tensor) -> GaussianPrediction:
        r"""The mean and the variance of each target, from averaged moments,
        the variance multiplied by the temperature of predictions.
        """
        check_floats(mean, ('N', self.log_variance.numel(), 2), 'mean')
        first, second = mean.unbind(dim=-1)
        noise = self.log_variance.to(mean.dtype).exp()
        variance = (second - first.square()).clamp(min=0.0) + noise
        dtype = self.log_variance.dtype
        limit = torch.finfo(dtype)
        variance = (variance * self.temperature).clamp(limit.tiny, limit.max)
        if self.num_targets is None:
            first, variance = first.squeeze(-1), variance.squeeze(-1)
        return GaussianPrediction(first.to(dtype), variance.to(dtype))

    def parts(self, prediction: GaussianPrediction) -> tuple[Tensor, ...]:
        check_kind(prediction, GaussianPrediction, 'prediction')
        mean, variance = prediction
        own = () if self.num_targets is None else (self.num_targets,)
        check_floats(mean, ('N', *own), 'prediction.mean')
        check_floats(variance, tuple(mean.shape), 'prediction.variance')
        for name, part in prediction._asdict().items():
            bad = int((~part.isfinite()).sum())
            if bad > 0:
                raise ValueError(
                    f"'prediction.{name}' must be finite, got {bad} NaN or "
                    'infinite values'
                )
        if variance.numel() > 0 and not bool(variance.min() > 0):
            raise ValueError(
                "'prediction.variance' must be positive, got "
                f'{float(variance.min()):g}'
            )
        return mean, variance

    def predicted_log_prob(
        self, parts: tuple[Tensor, ...], y: Tensor, temperature: float
    ) -> Tensor:
        mean, variance = parts
        return _log_normal(y - mean, (variance * temperature).log())

    def score_of(
        self, parts: tuple[Tensor, ...], y: Tensor, known: Tensor
    ) -> float:
        weight = known.to(y.dtype)
        count = weight.sum(dim=0)
        center = (weight * y).sum(dim=0) / count.clamp(min=1.0)
        unexplained = (weight * (y - parts[0]).square()).sum(dim=0)
        total = (weight * (y - center).square()).sum(dim=0)
        # As in scikit-learn where there is nothing to explain:
        r2 = torch.where(
            total > 0, 1 - unexplained / total, (unexplained == 0).to(y.dtype)
        )
        return float(r2[count > 0].mean())

    def extra_repr(self) -> str:
        return '' if self.num_targets is None else f'{self.num_targets}'


def _log_normal(error: Tensor, log_variance: Tensor) -> Tensor:
    r"""The log-density of a normal distribution."""
    square = error.square() * torch.exp(-log_variance)
    return -0.5 * (square + log_variance + math.log(2 * math.pi))
