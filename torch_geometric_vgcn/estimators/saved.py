r"""Estimators as files of plain arrays, without pickled objects."""

import json
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np
import scipy.sparse
import torch
from torch import Tensor

from torch_geometric_vgcn.estimators.features import Features
from torch_geometric_vgcn.utils import check_path, whole_file

#: Changes with the layout of the file.
FORMAT = 4
GRAPHS = ('graph_', 'prior_graph_', 'given_graph_')
FEATURES = ('mean', 'scale', 'basis', 'centre')
#: What the model was fitted to.
TASK = ('x', 'y', 'edge_index')
#: The parts of an estimator's state that aren't its own attributes.
APART = ('_features', 'model_', *GRAPHS)

T = TypeVar('T')


def save_state(estimator: Any, path: str | Path) -> None:
    r"""Writes a file of arrays, with a text for all that isn't one, and a
    checksum.
    """
    path = check_path(path, 'path')
    arrays: dict[str, np.ndarray] = {}
    params = estimator.get_params()
    plain: dict[str, Any] = {}
    objects = []
    for name, value in vars(estimator).items():
        if name in params or name in APART:
            continue
        if isinstance(value, np.ndarray):
            if value.dtype.kind == 'O':  # texts have a type of their own
                objects.append(name)
                value = value.astype(str)
            arrays[name] = value
        else:
            plain[name] = value
    for name in GRAPHS:
        graph = getattr(estimator, name)
        if graph is not None:
            for part in ('data', 'indices', 'indptr', 'shape'):
                arrays[f'{name}.{part}'] = np.asarray(getattr(graph, part))
    features, task = estimator._features, estimator.model_.task
    for name in FEATURES:
        arrays[f'features.{name}'] = getattr(features, name)
    for name in TASK:
        value = getattr(task, name)
        if value is not None:
            arrays[f'task.{name}'] = value.numpy()
    with TemporaryDirectory() as folder:
        model = Path(folder) / 'model'
        estimator.model_.save(model)
        arrays['model'] = np.frombuffer(model.read_bytes(), dtype=np.uint8)
    about: dict[str, Any] = {
        'format': FORMAT,
        'estimator': type(estimator).__name__,
        'params': params,
        'plain': plain,
        'objects': objects,
        'counts': features.counts,
    }
    arrays['about'] = np.array(json.dumps(about, default=_as_json))
    arrays['checksum'] = np.array(_checksum(arrays))
    with whole_file(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def _checksum(arrays: dict[str, np.ndarray]) -> str:
    r"""Of names and values: it tells missing arrays, too."""
    found = sha256()
    for name, array in sorted(arrays.items()):
        found.update(repr((name, array.dtype.str, array.shape)).encode())
        flat = np.ascontiguousarray(array).reshape(-1)
        found.update(flat.view(np.uint8).data)
    return found.hexdigest()


def _as_json(value: Any) -> Any:
    r"""Numbers of NumPy as those of Python. A random state, which training
    has changed, is not kept.
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.random.RandomState):
        return None
    raise TypeError(f'{type(value).__name__} can not be saved')


def load_state(kind: type[T], path: str | Path) -> T:
    r"""Reads what :func:`save_state` has written."""
    path = check_path(path, 'path')
    content = path.read_bytes()
    try:
        with np.load(BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(str(arrays['about']))
        known = (about['estimator'], about['format'])
        if known == (kind.__name__, FORMAT):
            if arrays.pop('checksum').item() != _checksum(arrays):
                raise ValueError('its checksum is not that of its content')
            return _estimator(kind, arrays)
    except Exception as error:  # whatever a damaged file may cause
        raise ValueError(
            f"'path' must be a file of {kind.__name__}.save, got '{path}', "
            'which is damaged or another kind of file '
            f'({type(error).__name__}: {error})'
        ) from error
    raise ValueError(
        f"'path' must be a file of {kind.__name__}.save with format {FORMAT}, "
        f"got '{path}' of {known[0]} with format {known[1]}: fit and save it "
        'again with this version'
    )


def _estimator(kind: type[T], arrays: dict[str, np.ndarray]) -> T:
    about = json.loads(str(arrays.pop('about')))
    estimator: Any = kind(**about['params'])
    for name in GRAPHS:
        setattr(estimator, name, _graph(arrays, name))
    estimator._features = Features(
        about['counts'], *(arrays.pop(f'features.{n}') for n in FEATURES)
    )
    x, y, given = (_tensor(arrays, f'task.{name}') for name in TASK)
    model = arrays.pop('model')
    for name, value in arrays.items():
        is_object = name in about['objects']
        setattr(estimator, name, value.astype(object) if is_object else value)
    for name, value in about['plain'].items():
        setattr(estimator, name, value)
    with TemporaryDirectory() as folder:
        file = Path(folder) / 'model'
        file.write_bytes(model.tobytes())
        estimator.model_ = estimator._load_model(file, x, y, given)
    return estimator


def _graph(
    arrays: dict[str, np.ndarray], name: str
) -> scipy.sparse.csr_array | None:
    if f'{name}.data' not in arrays:
        return None
    data, indices, indptr, shape = (
        arrays.pop(f'{name}.{part}')
        for part in ('data', 'indices', 'indptr', 'shape')
    )
    return scipy.sparse.csr_array(
        (data, indices, indptr), shape=tuple(shape.tolist())
    )


def _tensor(arrays: dict[str, np.ndarray], name: str) -> Tensor | None:
    return torch.from_numpy(arrays.pop(name)) if name in arrays else None
