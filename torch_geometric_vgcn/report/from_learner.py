from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.analysis import moved_links
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.recipe.labels import class_names
from torch_geometric_vgcn.report.edges import LEAST, EdgeChanges
from torch_geometric_vgcn.report.findings import Findings
from torch_geometric_vgcn.report.held_out import HeldOut
from torch_geometric_vgcn.utils import (
    Seeded,
    check_attributes,
    check_kind,
    check_labels,
    count_nodes,
    selected_nodes,
)

MASKS = ('val_mask', 'train_mask')


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
        prob = learner.predict(data.x)
    edges, left_out = _edges(learner, data.x)
    label, held = _labels(data, n, prob.size(1))
    host = prob.double().cpu().numpy()
    return Findings(
        classes=class_names(data, prob.size(1)),
        label=label,
        prob=host,
        edges=edges,
        held_out=HeldOut(label[held], host[held]),
        settings={
            'Network': str(learner.conv),
            'Prior': str(learner.prior),
            'Posterior': str(learner.posterior),
            'Sampler': str(learner.sampler),
            'Objective': str(learner.criterion),
        },
        names=names,
        left_out=left_out,
        source='initial',
        caution=_caution(learner),
    )


def _edges(
    learner: VariationalGraphLearner, x: Tensor
) -> tuple[EdgeChanges, int]:
    links = moved_links(learner, x=x)
    pairs, observed = learner.prior.pairs, learner.prior.edge_index
    given = torch.zeros_like(links.moved)
    if observed is not None:
        given = pairs.contains(observed)
    likely = torch.maximum(links.prior, links.posterior) >= LEAST
    kept = (given | likely).nonzero().view(-1)
    parts = (pairs.index[:, kept], links.prior[kept], links.posterior[kept])
    index, prior, posterior = (part.cpu().numpy() for part in parts)
    # In single precision, a probability may be zero:
    least = np.finfo(np.float64).tiny
    edges = EdgeChanges(
        index,
        np.maximum(prior.astype(np.float64), least),
        posterior.astype(np.float64),
        given[kept].cpu().numpy(),
    )
    return edges, len(pairs) - len(edges)


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
    return label.cpu().numpy(), held.cpu().numpy()


def _caution(learner: VariationalGraphLearner) -> str:
    fitted, temperature = '', float(learner.likelihood.temperature)
    if temperature != 1:
        fitted = (
            ', and calibrate fits the temperature of the probabilities '
            f'({temperature:.3g}) to them'
        )
    return (
        f'In training, fit chooses the epoch by the labels of val_mask{fitted}'
        ': figures that are measured on the same labels are slightly '
        'optimistic.'
    )
