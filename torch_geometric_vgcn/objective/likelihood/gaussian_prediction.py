from typing import NamedTuple

from torch import Tensor

from torch_geometric_vgcn.utils import check_floats


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

    def check(self, shape: tuple[int | str, ...]) -> None:
        r"""Expects finite means and positive variances of one shape."""
        check_floats(self.mean, shape, 'prediction.mean')
        own = tuple(self.mean.shape)
        check_floats(self.variance, own, 'prediction.variance')
        for name, part in self._asdict().items():
            bad = int((~part.isfinite()).sum())
            if bad > 0:
                raise ValueError(
                    f"'prediction.{name}' must be finite, got {bad} NaN or "
                    'infinite values'
                )
        if self.variance.numel() > 0 and not bool(self.variance.min() > 0):
            raise ValueError(
                "'prediction.variance' must be positive, got "
                f'{float(self.variance.min()):g}'
            )
