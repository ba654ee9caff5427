r"""How good the predictions and the learned graph of a trial are. Scores of
test nodes are recorded after a system has finished, and select nothing:
settings are chosen by validation accuracy only.
"""

from dataclasses import replace

import torch
from cases import Case
from sklearn.metrics import average_precision_score, roc_auc_score
from systems.base import Outcome
from systems.learned_graph import LearnedGraph
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn import evaluate
from torch_geometric_vgcn.analysis import best_temperature, calibration
from torch_geometric_vgcn.objective import Categorical
from torch_geometric_vgcn.utils import pair_key


def scores(
    case: Case, run: int, data: Data, outcome: Outcome
) -> dict[str, float]:
    r"""The negative log-likelihood (NLL) and the expected calibration error
    (ECE) of the test nodes, as predicted and after temperature scaling on the
    validation nodes, and the recovery of the true edges.

    Args:
        case (Case): The case.
        run (int): The number of the run.
        data (torch_geometric.data.Data): Its data, with all labels.
        outcome (Outcome): What a system has made of it without test labels.
    """
    prob, y = outcome.prob, data.y
    likelihood = Categorical()
    likelihood.set_temperature(best_temperature(prob, y, data.val_mask))
    out = {'temperature': float(likelihood.temperature)}
    predictions = {'test': prob, 'scaled': likelihood.calibrated(prob)}
    for name, each in predictions.items():
        out[f'{name}_nll'] = evaluate(each, y, data.test_mask)[1]
        out[f'{name}_ece'] = calibration(each, y, data.test_mask).error
    if outcome.graph is not None:
        out |= recovery(case, run, data, outcome.graph)
    return out


def recovery(
    case: Case, run: int, data: Data, graph: LearnedGraph
) -> dict[str, float]:
    r"""The area under the ROC curve (AUC) and the average precision (AP) of
    the prior and the posterior edge probabilities, and the average precision
    by which low probabilities detect false edges.

    If edges were added, the truth of a pair is whether it is an edge of the
    true graph. If there was no graph, it is whether both nodes have the same
    class, over the pairs that aren't both training nodes. Other graphs have
    no such score.
    """
    known = _known(case, run, data, graph.index)
    if known is None:
        return {}
    truth, looked_at = (each.numpy() for each in known)
    truth = truth[looked_at]
    if truth.all() or not truth.any():
        return {}
    out = {}
    for name in ('prior', 'posterior'):
        prob = getattr(graph, name).numpy()[looked_at]
        out[f'{name}_auc'] = float(roc_auc_score(truth, prob))
        out[f'{name}_ap'] = float(average_precision_score(truth, prob))
        out[f'{name}_false_ap'] = float(average_precision_score(~truth, -prob))
    return out


def _known(
    case: Case, run: int, data: Data, index: Tensor
) -> tuple[Tensor, Tensor] | None:
    r"""Which pairs are true, and which are looked at."""
    if case.graph == 'knn':
        (left, right), train = index, data.train_mask
        same = data.y[left] == data.y[right]
        return same, ~(train[left] & train[right])
    if case.adds_edges:
        n = data.num_nodes
        true = replace(case, graph='true').load(run).edge_index
        truth = torch.isin(pair_key(index, n), pair_key(true, n))
        return truth, torch.ones_like(truth)
    return None
