from dataclasses import dataclass, field

from torch import Tensor

from torch_geometric_vgcn.checks import (
    check_features,
    check_floats,
    check_labels,
)


@dataclass
class Fit:
    r"""The result of :func:`fit` or :func:`fit_batches`.

    Args:
        best_epoch (int): The epoch whose state the model was left in.
        val_acc (float): Its validation accuracy.
        val_nll (float): Its mean negative validation log-likelihood.
        history (List[Dict[str, float]]): For each epoch the loss, the parts
            of the bound, and the validation accuracy and log-likelihood.
        settled (bool): Whether all terms of the loss had their full weight in
            the best epoch.
    """

    best_epoch: int = -1
    val_acc: float = -1.0
    val_nll: float = float('inf')
    history: list[dict[str, float]] = field(default_factory=list)
    settled: bool = False


def evaluate(prob: Tensor, y: Tensor, mask: Tensor) -> tuple[float, float]:
    r"""The accuracy and mean negative log-likelihood of class probabilities
    on the nodes that :obj:`mask` selects.

    Args:
        prob (Tensor): The class probabilities, of shape :obj:`[N, C]`.
        y (Tensor): The classes, of shape :obj:`[N]`.
        mask (Tensor): Which nodes to evaluate, as a mask or as indices.
    """
    check_floats(prob, ('N', 'C'), 'prob')
    check_features(prob, prob.size(0), 'prob')
    check_labels(y, mask, prob.size(0), num_classes=prob.size(1))
    prob, y = prob[mask], y[mask]
    hit = prob.argmax(dim=-1) == y
    likelihood = prob.gather(-1, y.unsqueeze(-1)).clamp(min=1e-12)
    return float(hit.float().mean()), -float(likelihood.log().mean())
