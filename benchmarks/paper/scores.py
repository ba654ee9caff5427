r"""How good the predictions and the learned graph of a trial are."""

from dataclasses import replace

import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import Tensor
from torch_geometric.data import Data

from benchmarks.paper.cases import Case
from benchmarks.paper.systems.base import LearnedGraph, Outcome
from torch_geometric_vgcn import evaluate
from torch_geometric_vgcn.analysis import best_temperature, calibration
from torch_geometric_vgcn.objective import Categorical
from torch_geometric_vgcn.utils import pair_key


def scores(
    case: Case, run: int, data: Data, outcome: Outcome
) -> dict[str, float]:
    r"""The accuracy of the test nodes, their negative log-likelihood (NLL)
    and expected calibration error (ECE), as predicted and after temperature
    scaling on the validation nodes, and the recovery of the true edges.
    """
    prob, y, test = outcome.prob, data.y, data.test_mask
    likelihood = Categorical()
    likelihood.set_temperature(best_temperature(prob, y, data.val_mask))
    out = {'temperature': float(likelihood.temperature)}
    out['test_acc'] = float((prob.argmax(-1) == y)[test].double().mean())
    predictions = {'test': prob, 'scaled': likelihood.calibrated(prob)}
    for name, each in predictions.items():
        out[f'{name}_nll'] = evaluate(each, y, test)[1]
        out[f'{name}_ece'] = calibration(each, y, test).error
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
    index = graph.index
    seen = torch.ones(index.size(1), dtype=torch.bool)
    if case.graph == 'knn':
        left, right = index
        truth = data.y[left] == data.y[right]
        seen = ~(data.train_mask[left] & data.train_mask[right])
    elif case.adds_edges:
        n = data.num_nodes
        true = replace(case, graph='true').load(run).edge_index
        truth = torch.isin(pair_key(index, n), pair_key(true, n))
    else:
        return {}
    truth = truth[seen].numpy()
    if truth.all() or not truth.any():
        return {}
    out = {}
    probs: dict[str, Tensor] = {
        'prior': graph.prior,
        'posterior': graph.posterior,
    }
    for name, each in probs.items():
        prob = each[seen].numpy()
        out[f'{name}_auc'] = float(roc_auc_score(truth, prob))
        out[f'{name}_ap'] = float(average_precision_score(truth, prob))
        out[f'{name}_false_ap'] = float(average_precision_score(~truth, -prob))
    return out
