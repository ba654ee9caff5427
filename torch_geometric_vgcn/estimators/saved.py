r"""Estimators as files of plain arrays, without pickled objects."""

import json
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy.sparse
import torch
from torch import Tensor

from torch_geometric_vgcn.estimators.features import Features
from torch_geometric_vgcn.estimators.served import Joined, Served

#: Changes with the layout of the file.
FORMAT = 1
#: The fitted attributes that are arrays, and those that aren't.
ARRAYS = (
    'transduction_', 'label_distributions_', 'labels_', 'validation_rows_',
    'validation_distributions_',
)  # fmt: skip
PLAIN = (
    'n_features_in_',
    'n_iter_',
    'choice_',
    'validation_score_',
    'validation_size_',
    'trials_',
)
JOINED = ('state', 'degree', 'prob')
JOINED_PLAIN = (
    'k', 'bias', 'weight', 'mean', 'scale', 'homophily', 'counts',
)  # fmt: skip

T = TypeVar('T')


def save_state(estimator: Any, path: str | Path) -> None:
    r"""Writes a file of arrays, and a text for all that isn't one."""
    served: Served = estimator._served
    features: Features = estimator._features
    graph = estimator.graph_
    arrays: dict[str, np.ndarray] = {
        'classes_': _plain(estimator.classes_),
        'graph.data': graph.data,
        'graph.indices': graph.indices,
        'graph.indptr': graph.indptr,
        'prior_graph.data': estimator.prior_graph_.data,
        'features.mean': features.mean,
        'features.scale': features.scale,
    }
    given = estimator.given_graph_
    if given is not None:
        arrays['given_graph.indices'] = given.indices
        arrays['given_graph.indptr'] = given.indptr
    for name in ARRAYS:
        arrays[name] = _plain(getattr(estimator, name))
    if hasattr(estimator, 'feature_names_in_'):
        arrays['feature_names_in_'] = _plain(estimator.feature_names_in_)
    for name, weight in served.weights.items():
        arrays[f'weights.{name}'] = weight.numpy()
    about: dict[str, Any] = {
        'format': FORMAT,
        'estimator': type(estimator).__name__,
        'params': estimator.get_params(),
        'counts': features.counts,
        'alpha': served.alpha,
        'temperature': served.temperature,
        'objects': estimator.classes_.dtype.kind == 'O',
        **{name: getattr(estimator, name) for name in PLAIN},
    }
    joined = served.joined
    if joined is not None:
        about['joined'] = {n: getattr(joined, n) for n in JOINED_PLAIN}
        for name in JOINED:
            arrays[f'joined.{name}'] = getattr(joined, name).numpy()
        arrays |= _of_matrix(joined.x)
    arrays['about'] = np.array(json.dumps(about))
    with Path(path).open('wb') as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load_state(kind: type[T], path: str | Path) -> T:
    r"""Reads what :func:`save_state` has written."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(str(arrays['about']))
        is_ours = about['estimator'] == kind.__name__
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(
            f"'path' must be a file of {kind.__name__}.save, got '{path}', "
            'which is another kind of file'
        ) from error
    if not is_ours or about['format'] != FORMAT:
        raise ValueError(
            f"'path' must be a file of {kind.__name__}.save with format "
            f"{FORMAT}, got '{path}' of {about['estimator']} with format "
            f'{about["format"]}'
        )
    estimator: Any = kind(**about['params'])
    classes = arrays['classes_']
    as_object = object if about['objects'] else classes.dtype
    estimator.classes_ = classes.astype(as_object)
    for name in ARRAYS:
        setattr(estimator, name, arrays[name])
    estimator.transduction_ = estimator.transduction_.astype(as_object)
    if 'feature_names_in_' in arrays:
        estimator.feature_names_in_ = arrays['feature_names_in_'].astype(
            object
        )
    for name in PLAIN:
        setattr(estimator, name, about[name])
    n = estimator.transduction_.size
    pattern = (arrays['graph.indices'], arrays['graph.indptr'])
    estimator.graph_, estimator.prior_graph_ = (
        scipy.sparse.csr_array((arrays[name], *pattern), shape=(n, n))
        for name in ('graph.data', 'prior_graph.data')
    )
    estimator.given_graph_ = None
    if 'given_graph.indices' in arrays:
        index = arrays['given_graph.indices']
        pattern = (index, arrays['given_graph.indptr'])
        estimator.given_graph_ = scipy.sparse.csr_array(
            (np.ones(index.size), *pattern), shape=(n, n)
        )
    estimator._features = Features(
        about['counts'], arrays['features.mean'], arrays['features.scale']
    )
    weights = {
        name.removeprefix('weights.'): torch.from_numpy(value)
        for name, value in arrays.items()
        if name.startswith('weights.')
    }
    served = Served(weights, about['alpha'], about['temperature'])
    if 'joined' in about:
        tensors: dict[str, Any] = {
            name: torch.from_numpy(arrays[f'joined.{name}']) for name in JOINED
        }
        served.joined = Joined(
            x=_to_matrix(arrays), **tensors, **about['joined']
        )
    estimator._served = served
    return estimator


def _plain(array: np.ndarray) -> np.ndarray:
    r"""An array without objects: texts have a type of their own."""
    return array.astype(str) if array.dtype.kind == 'O' else array


def _of_matrix(x: Tensor) -> dict[str, np.ndarray]:
    if x.layout == torch.strided:
        return {'joined.x': x.numpy()}
    return {
        'joined.x.data': x.values().numpy(),
        'joined.x.indices': x.col_indices().numpy(),
        'joined.x.indptr': x.crow_indices().numpy(),
        'joined.x.shape': np.array(x.shape),
    }


def _to_matrix(arrays: dict[str, np.ndarray]) -> Tensor:
    if 'joined.x' in arrays:
        return torch.from_numpy(arrays['joined.x'])
    return torch.sparse_csr_tensor(
        torch.from_numpy(arrays['joined.x.indptr']),
        torch.from_numpy(arrays['joined.x.indices']),
        torch.from_numpy(arrays['joined.x.data']),
        tuple(arrays['joined.x.shape'].tolist()),
        check_invariants=False,
    )
