r"""How much what was learned says of rows that are far from all others.

The features' mean is zero, so the norm of a row is its distance from the mean
of the training rows. Those reach up to a distance :math:`R`: none of them is
farther. A row at a larger distance :math:`d` is predicted as the point
:math:`\frac{R}{d} \mathbf{x}`, where it leaves this ball, and this prediction
has the weight

.. math::
    w = \min \Big( 1, \frac{R}{d} \Big);

the rest, :math:`1 - w`, is what is known of a row without any features: the
class shares, or the mean and the variance of the known values.

A further row of the same kind as :math:`N` training rows is farther than all
of them with probability :math:`1 / (N + 1)`.
"""

import torch
from torch import Tensor


def weight_within(x: Tensor, reach: float | Tensor) -> Tensor:
    r"""The weight :math:`w` of each row, of shape :obj:`[N, 1]`."""
    size = x.double().norm(dim=1, keepdim=True)
    reach = torch.as_tensor(reach, dtype=size.dtype, device=size.device)
    return torch.where(size > reach, reach / size, 1.0)


def weight_among(x: Tensor) -> Tensor:
    r"""The same for training rows, where the others reach."""
    size = x.double().norm(dim=1, keepdim=True)
    most, second = size.view(-1).topk(2).values
    return weight_within(x, torch.where(size < most, most, second))


def reach_of(x: Tensor) -> float:
    r"""Up to which distance training rows reach."""
    return float(x.double().norm(dim=1).max())
