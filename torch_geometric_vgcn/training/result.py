import warnings
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from torch_geometric_vgcn.objective import Categorical, Likelihood
from torch_geometric_vgcn.utils import check_kind


@dataclass
class Fit:
    r"""The result of :func:`fit`.

    Args:
        best_epoch (int): The epoch whose state the model was left in.
        val_score (float): Its validation score, the higher the better.
        val_nll (float): Its mean negative validation log-likelihood.
        history (List[Dict[str, float]]): For each epoch the :obj:`'loss'`
            that is minimised, which is minus the :obj:`'bound'` for each
            labelled node plus the sum :obj:`'terms'` of all further terms
            (weight decay belongs to the optimiser), the parts
            :obj:`'log_likelihood'`, :obj:`'agreement'` and :obj:`'kl'` of the
            bound, and the validation score (:obj:`'val_acc'`,
            :obj:`'val_r2'` or :obj:`'val_f1'`) and :obj:`'val_nll'`.
        warmup_done (bool): Whether all parts of the loss had their full weight
            in the best epoch.
        score (str): The name of the score: :obj:`'acc'` for accuracy
            (:class:`Categorical`), :obj:`'r2'` (:class:`Gaussian`) or
            :obj:`'f1'` (:class:`MultiLabel`).
    """

    best_epoch: int = -1
    val_score: float = float('-inf')
    val_nll: float = float('inf')
    history: list[dict[str, float]] = field(default_factory=list)
    warmup_done: bool = False
    score: str = 'acc'

    def add(self, row: dict[str, float], warmup_done: bool) -> bool:
        r"""Adds an epoch to the history. Returns whether it is the best one:
        by its score, and on ties by its likelihood. One before the loss has
        its final form is only kept until then.
        """
        score, nll = row[f'val_{self.score}'], row['val_nll']
        self.history.append(row)
        better = (score, -nll) > (self.val_score, -self.val_nll)
        better = better or (warmup_done and not self.warmup_done)
        if better:
            self.best_epoch = len(self.history) - 1
            self.val_score, self.val_nll = score, nll
            self.warmup_done = warmup_done
        return better

    @property
    def settled(self) -> bool:
        r"""Deprecated: :obj:`warmup_done`."""
        warnings.warn(
            "'settled' is now 'warmup_done', and goes with 0.4",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.warmup_done

    @property
    def val_acc(self) -> float:
        r"""The validation accuracy, where labels are classes."""
        if self.score != 'acc':
            raise AttributeError(
                "'val_acc' is for labels that are classes, got the score "
                f"'{self.score}': use 'val_score'"
            )
        return self.val_score


def evaluate(
    prob: Any, y: Tensor, mask: Tensor, likelihood: Likelihood | None = None
) -> tuple[float, float]:
    r"""The score and mean negative log-likelihood of predictions on the nodes
    that :obj:`mask` selects. For classes the score is the accuracy.

    Args:
        prob (Any): The class probabilities, of shape :obj:`[N, C]`, or
            whatever else :meth:`VariationalGraphLearner.predict` returned.
        y (Tensor): The labels, such as classes of shape :obj:`[N]`.
        mask (Tensor): Which nodes to evaluate, as a mask or as indices.
        likelihood (Likelihood, optional): The likelihood that predicted:
            :obj:`learner.likelihood`. (default: :obj:`Categorical()`)
    """
    if likelihood is None:
        likelihood = Categorical()
    check_kind(likelihood, Likelihood, 'likelihood')
    return likelihood.evaluate(prob, y, mask)
