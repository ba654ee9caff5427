from collections.abc import Sequence
from typing import Any

from torch_geometric_vgcn.report.edges import EdgeChanges
from torch_geometric_vgcn.report.findings import Findings
from torch_geometric_vgcn.report.from_model import members_of
from torch_geometric_vgcn.report.held_out import HeldOut


def from_classifier(clf: Any, names: Sequence[str] | None = None) -> Findings:
    r"""What a fitted :class:`VGCNClassifier` has learned."""
    label, rows = clf.labels_, clf.validation_rows_
    return Findings(
        classes=[str(name) for name in clf.classes_.tolist()],
        label=label,
        prob=clf.label_distributions_,
        edges=EdgeChanges.of_graphs(
            clf.prior_graph_, clf.graph_, clf.given_graph_
        ),
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
        trials=members_of(clf.model_),
        names=names,
        keeps_labels=True,
        caution='The same labels weighed the members and fitted the '
        'temperatures of their probabilities, so the accuracy, the likelihood '
        'and the calibration are slightly optimistic.',
    )
