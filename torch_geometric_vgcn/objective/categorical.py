from collections.abc import Callable
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from torch_geometric_vgcn.objective.likelihood import (
    Likelihood,
    check_outputs,
)
from torch_geometric_vgcn.utils import (
    check_class_probs,
    check_features,
    check_floats,
    check_labels,
    check_tensor,
    on_host,
)


class Categorical(Likelihood):
    r"""The classification likelihood
    :math:`p(y_n \mid \mathbf{X}, \mathbf{A}) = \mathrm{Cat}(y_n \mid
    \mathrm{softmax}(\mathbf{f}_n))` of a network's outputs
    :math:`\mathbf{f}`, one for each class.

    Labels :obj:`y` are int64 classes of shape :obj:`[N]`; predictions are the
    class probabilities, of shape :obj:`[N, C]`; the score is the accuracy.
    """

    score: ClassVar[str] = 'acc'
    has_classes: ClassVar[bool] = True

    def check_labels(
        self,
        y: Tensor,
        mask: Tensor,
        num_nodes: int,
        name: str = 'mask',
        allow_none: bool = False,
        num_outputs: int | None = None,
    ) -> None:
        check_labels(y, mask, num_nodes, name, allow_none, num_outputs)

    def log_prob(self, out: Tensor, y: Tensor) -> Tensor:
        r"""The log-likelihood of the classes :obj:`y`, for outputs of shape
        :obj:`[..., n, C]`: of shape :obj:`[..., n]`.
        """
        check_outputs(out)
        check_tensor(y, '[n]', 'y')
        if y.dtype != torch.int64 or y.shape != out.shape[-2:-1]:
            raise ValueError(
                f"'y' must hold int64 classes of shape {[out.size(-2)]}, got "
                f'{y.dtype} of shape {list(y.shape)}'
            )
        # Elsewhere a step would wait for it, and the device checks by itself:
        if on_host(y) and y.numel() > 0:
            low, high = int(y.min()), int(y.max())
            if low < 0 or high >= out.size(-1):
                raise ValueError(
                    f"'y' must hold classes in [0, {out.size(-1) - 1}], got "
                    f'{low} to {high}'
                )
        index = y.unsqueeze(-1).expand(*out.shape[:-1], 1)
        return log_softmax(out, dim=-1).gather(-1, index).squeeze(-1)

    def mean(self, out: Tensor) -> Tensor:
        r"""What is to be averaged over graphs: the class probabilities, not
        the outputs.
        """
        check_outputs(out)
        return out.softmax(dim=-1)

    def calibrated(self, mean: Tensor) -> Tensor:
        r"""Averaged class probabilities at the temperature of predictions,
        :math:`p'_c \propto p_c^{1/T}`.
        """
        tiny = torch.finfo(mean.dtype).tiny
        temperature = self.temperature.to(mean).clamp(min=tiny)
        log_prob = mean.clamp(min=tiny).log() / temperature
        return torch.where(
            self.temperature == 1, mean, log_prob.softmax(dim=-1)
        )

    def evaluate(
        self, prediction: Tensor, y: Tensor, mask: Tensor
    ) -> tuple[float, float]:
        check_floats(prediction, ('N', 'C'), 'prob')
        check_features(prediction, prediction.size(0), 'prob')
        check_labels(
            y, mask, prediction.size(0), num_classes=prediction.size(1)
        )
        prob, y = prediction[mask], y[mask]
        hit = prob.argmax(dim=-1) == y
        likelihood = prob.gather(-1, y.unsqueeze(-1)).clamp(min=1e-12)
        return float(hit.float().mean()), -float(likelihood.log().mean())

    def tempered(
        self, prediction: Tensor, y: Tensor, mask: Tensor
    ) -> Callable[[float], float]:
        check_class_probs(prediction)
        check_labels(
            y, mask, prediction.size(0), num_classes=prediction.size(1)
        )
        # What isn't zero is at least so large, as in 'calibrated':
        tiny = torch.finfo(prediction.dtype).tiny
        prob = prediction[mask].detach().cpu().double()
        log_prob = prob.clamp(min=tiny).log()
        index = y[mask].cpu().unsqueeze(-1)

        def log_likelihood(temperature: float) -> float:
            scaled = (log_prob / temperature).log_softmax(dim=-1)
            return float(scaled.gather(-1, index).sum())

        return log_likelihood
