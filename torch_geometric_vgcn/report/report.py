import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from torch_geometric.data import Data

from torch_geometric_vgcn.datasets.missing import MARKERS
from torch_geometric_vgcn.datasets.read_columns import as_list
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.recipe import VGCN
from torch_geometric_vgcn.report.findings import Findings
from torch_geometric_vgcn.report.page import page
from torch_geometric_vgcn.report.sources import (
    from_classifier,
    from_learner,
    from_model,
)
from torch_geometric_vgcn.utils import check_kind, check_path, whole_file


def report(
    model: Any,
    path: str | os.PathLike = 'report.html',
    data: Data | None = None,
    names: Sequence[Any] | None = None,
    title: str = 'What was learned',
) -> Path:
    r"""Writes what was learned as one page for a browser, which needs no
    network: what was chosen and why, accuracy, confusion and calibration, the
    edges' probabilities before and after learning, and a view of the
    neighbourhood of each row in the given and in the learned graph.

    .. code-block:: python

        report(vgcn.VGCN(data).fit(), 'report.html')
        report(clf.fit(X, y), 'report.html', names=frame['name'])
        report(learner, 'report.html', data)

    The page holds up to 1.5 million edges; of larger graphs it holds the
    neighbourhoods of some of the rows.

    Args:
        model (VGCN, VGCNClassifier or VariationalGraphLearner): The fitted
            model or estimator, or the trained learner.
        path (str or Path, optional): The file to write.
            (default: :obj:`"report.html"`)
        data (torch_geometric.data.Data, optional): The data of a learner,
            with :obj:`x` and :obj:`y`. Labels are known in
            :obj:`train_mask` and :obj:`val_mask`; the accuracy is that of
            :obj:`val_mask`. (default: :obj:`None`)
        names (Sequence, optional): The names of the rows.
            (default: those of :class:`VGCN`, or their numbers)
        title (str, optional): The title of the page.
            (default: :obj:`"What was learned"`)

    Returns:
        The path of the page.
    """
    path = check_path(path, 'path')
    check_kind(title, str, 'title')
    findings = _findings(model, data, names)
    content = page(findings, title)
    try:
        with whole_file(path) as file:
            # A lone surrogate in a name is no reason to fail:
            file.write(content.encode('utf-8', errors='replace'))
    except (OSError, ValueError) as error:
        raise OSError(
            f"'path' must be a file that can be written, got '{path}' "
            f'({error})'
        ) from error
    return path


def _findings(
    model: Any, data: Data | None, names: Sequence[Any] | None
) -> Findings:
    if isinstance(model, VariationalGraphLearner):
        if data is None:
            raise ValueError(
                "'data' must be given with a learner: its predictions and "
                "its accuracy need 'x' and 'y'"
            )
        if not model.likelihood.has_classes:
            raise _no_classes(f'a learner with {model.likelihood}')
        return from_learner(model, data, _names(names, model.prior.num_nodes))
    inner: Any = getattr(model, 'classifier', model)  # of a VGCNNodeClassifier
    if not isinstance(inner, (VGCN, *_estimators())):
        raise TypeError(
            "'model' must be a VGCN, a VGCNClassifier, a VGCNNodeClassifier "
            f'or a VariationalGraphLearner, got {type(model).__name__}'
        )
    whole = isinstance(inner, VGCN)
    one_call: Any = inner if whole else vars(inner).get('model_')
    if not hasattr(one_call, 'weights_'):
        raise ValueError("'model' must be fitted, got one that isn't")
    if one_call.task.quantity:
        raise _no_classes(f'a {type(model).__name__} of quantities')
    if data is not None:
        raise ValueError(
            "'data' must be None with a model that knows its rows, "
            f'got {type(data).__name__}'
        )
    if names is None:
        names = one_call.task.node_names
    names = _names(names, one_call.task.num_nodes)
    source: Callable[..., Findings] = from_model if whole else from_classifier
    return source(inner, names)


def _no_classes(what: str) -> ValueError:
    return ValueError(
        f"'model' must predict classes, which reports are about, got {what}"
    )


def _estimators() -> tuple[type, ...]:
    r"""The estimators for tables, if scikit-learn is installed."""
    try:
        from torch_geometric_vgcn.estimators import (
            VGCNClassifier,
            VGCNRegressor,
        )
    except ImportError:  # so nobody has made one
        return ()
    return VGCNClassifier, VGCNRegressor


def _names(names: Sequence[Any] | None, num_rows: int) -> list[str] | None:
    r"""One text for each row: its number where the name is missing."""
    if names is None:
        return None
    cells = as_list(names, "'names'")
    if len(cells) != num_rows:
        raise ValueError(
            f"'names' must have one name for each of the {num_rows} rows, "
            f'got {len(cells)}'
        )
    found = [str(cell).strip() for cell in cells]
    return [
        str(row) if name in MARKERS else name for row, name in enumerate(found)
    ]
