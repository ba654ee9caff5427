r"""Where findings come from: the one call, an estimator or a learner."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.analysis import moved_links
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.recipe import VGCN
from torch_geometric_vgcn.recipe.labels import class_names
from torch_geometric_vgcn.recipe.weights import ranked
from torch_geometric_vgcn.report.findings import (
    EdgeChanges,
    Findings,
    HeldOut,
)
from torch_geometric_vgcn.utils import (
    Seeded,
    check_attributes,
    check_kind,
    check_labels,
    count_nodes,
    selected_nodes,
)

MASKS = ('val_mask', 'train_mask')
#: Below this, pairs that were not given are left out.
LEAST = 0.01
WEIGHED = (
    'The same labels weighed the members and fitted the temperatures of their '
    'probabilities, so the accuracy, the likelihood and the calibration are '
    'slightly optimistic.'
)


def from_model(model: VGCN, names: Sequence[str] | None = None) -> Findings:
    r"""What the one call has learned."""
    found, label = model._found_edges(), model.task.y
    settings = {'Call': repr(model)}
    if model._left_out:
        settings['Left out'] = ', '.join(model._left_out)
    return Findings(
        classes=model.class_names,
        label=_array(label),
        prob=_array(model.predict().double()),
        edges=_likely(found.index, found.prior, found.posterior, found.given),
        held_out=HeldOut(
            _array(label[model.held_out_]),
            _array(model.held_out_prob_.double()),
        ),
        settings=settings,
        members=_members(model),
        names=names,
        caution=WEIGHED,
    )


def from_classifier(clf: Any, names: Sequence[str] | None = None) -> Findings:
    r"""What a fitted :class:`VGCNClassifier` has learned."""
    label, rows = clf.labels_, clf.validation_rows_
    return Findings(
        classes=[str(name) for name in clf.classes_.tolist()],
        label=label,
        prob=clf.label_distributions_,
        edges=_of_graphs(clf.prior_graph_, clf.graph_, clf.given_graph_),
        held_out=HeldOut(label[rows], clf.validation_distributions_),
        settings={
            'Estimator': type(clf).__name__,
            'Parameters': ', '.join(
                f'{name}={value!r}'
                for name, value in clf.get_params().items()
                if name != 'verbose'
            ),
            'Features': str(clf.n_features_in_),
            'Steps': str(clf.n_iter_),
        },
        members=_members(clf.model_),
        names=names,
        keeps_labels=True,
        caution=WEIGHED,
    )


def from_learner(
    learner: VariationalGraphLearner,
    data: Data,
    names: Sequence[str] | None = None,
) -> Findings:
    r"""What a learner has learned of its data. Labels are known in
    :obj:`data.train_mask` and :obj:`data.val_mask`, or, without masks, where
    they aren't negative; those of :obj:`data.val_mask` measure the accuracy.
    """
    check_kind(data, Data, 'data')
    check_attributes(data, 'x', 'y')
    n = count_nodes(data)
    with Seeded(0):
        prob = _array(learner.predict(data.x).double())
    links = moved_links(learner, x=data.x)
    pairs, observed = learner.prior.pairs, learner.prior.edge_index
    given = torch.zeros_like(links.moved)
    if observed is not None:
        given = pairs.contains(observed)
    # In single precision, a probability may be zero:
    prior = links.prior.clamp(min=torch.finfo(links.prior.dtype).tiny)
    label, held = _labels(data, n, prob.shape[1])
    caution = 'In training, fit chooses the epoch by the labels of val_mask'
    temperature = float(learner.likelihood.temperature)
    if temperature != 1:
        caution += (
            ', and calibrate fits the temperature of the probabilities '
            f'({temperature:.3g}) to them'
        )
    return Findings(
        classes=class_names(data, prob.shape[1]),
        label=label,
        prob=prob,
        edges=_likely(pairs.index, prior, links.posterior, given),
        held_out=HeldOut(label[held], prob[held]),
        settings={
            'Network': str(learner.conv),
            'Prior': str(learner.prior),
            'Posterior': str(learner.posterior),
            'Sampler': str(learner.sampler),
            'Objective': str(learner.criterion),
        },
        names=names,
        source='initial',
        caution=f'{caution}: figures that are measured on the same labels are '
        'slightly optimistic.',
    )


def _members(model: VGCN) -> list[dict[str, Any]]:
    r"""The members that were trained, if labels were held out to judge."""
    if model.held_out_.numel() == 0:
        return []
    columns = ranked(model.scores_)
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _labels(
    data: Data, num_nodes: int, num_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    r"""The known labels, and the nodes whose label was held out."""
    masks = {name: data[name] for name in MASKS if name in data}
    rows = {}
    for name, mask in (masks or {'y': data.y >= 0}).items():
        name = f'data.{name}'
        check_labels(data.y, mask, num_nodes, name, True, num_classes)
        rows[name] = selected_nodes(mask, num_nodes, name, allow_none=True)
    known = torch.cat(list(rows.values()))
    label = torch.full_like(data.y, -1)
    label[known] = data.y[known]
    held, train = (rows.get(f'data.{name}', known[:0]) for name in MASKS)
    held = held[~torch.isin(held, train)]
    return _array(label), _array(held)


def _likely(
    index: Tensor, prior: Tensor, posterior: Tensor, given: Tensor
) -> EdgeChanges:
    r"""The given edges, and all other pairs that aren't improbable before and
    after learning.
    """
    likely = torch.maximum(prior, posterior) >= LEAST
    kept = (given | likely).nonzero().view(-1)
    return EdgeChanges(
        _array(index[:, kept]),
        _array(prior[kept].double()),
        _array(posterior[kept].double()),
        _array(given[kept]),
        left_out=given.numel() - kept.numel(),
    )


def _of_graphs(
    prior: scipy.sparse.csr_array,
    posterior: scipy.sparse.csr_array,
    given: scipy.sparse.csr_array | None,
) -> EdgeChanges:
    r"""The union of the candidates, which are in :obj:`prior` and in
    :obj:`posterior`, and the given edges.
    """
    either = prior if given is None else prior + given
    index = scipy.sparse.triu(either, k=1).tocsr().sorted_indices().nonzero()

    def values(graph: scipy.sparse.csr_array) -> np.ndarray:
        return np.asarray(scipy.sparse.csr_matrix(graph)[index]).ravel()

    known = np.zeros(index[0].size) if given is None else values(given)
    return EdgeChanges(
        np.stack(index).astype(np.int64),
        values(prior),
        values(posterior),
        known > 0,
    )


def _array(value: Tensor) -> np.ndarray:
    return value.cpu().numpy()
