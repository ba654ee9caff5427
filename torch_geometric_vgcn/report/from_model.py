from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_geometric_vgcn.recipe import VGCN
from torch_geometric_vgcn.recipe.scores import ranked
from torch_geometric_vgcn.report.edges import LEAST, EdgeChanges
from torch_geometric_vgcn.report.findings import Findings
from torch_geometric_vgcn.report.held_out import HeldOut


def from_model(model: VGCN, names: Sequence[str] | None = None) -> Findings:
    r"""What the one call has learned."""
    found = model._found_edges()
    likely = torch.maximum(found.prior, found.posterior) >= LEAST
    kept = (found.given | likely).nonzero().view(-1)
    label = model.task.y
    return Findings(
        classes=model.class_names,
        label=_array(label),
        prob=_array(model.predict().double()),
        edges=EdgeChanges(
            _array(found.index[:, kept]),
            _array(found.prior[kept].double()),
            _array(found.posterior[kept].double()),
            _array(found.given[kept]),
        ),
        held_out=HeldOut(
            _array(label[model.held_out_]),
            _array(model.held_out_prob_.double()),
        ),
        settings=_settings(model),
        trials=members_of(model),
        names=names,
        left_out=found.given.numel() - kept.numel(),
        caution='The same labels weighed the members and fitted the '
        'temperatures of their probabilities, so the accuracy, the likelihood '
        'and the calibration are slightly optimistic.',
    )


def members_of(model: VGCN) -> list[dict[str, Any]]:
    r"""The members that were trained, if labels were held out to judge."""
    if model.held_out_.numel() == 0:
        return []
    columns = ranked(model.scores_)
    columns['setting'] = columns.pop('member')
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _settings(model: VGCN) -> dict[str, str]:
    out = {'Call': repr(model)}
    if model._left_out:
        out['Left out'] = ', '.join(model._left_out)
    return out


def _array(value: Tensor) -> np.ndarray:
    return value.cpu().numpy()
