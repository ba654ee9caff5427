r"""Files of tensors, arrays and plain values, with a checksum and without
pickled objects: archives of NumPy with a text that says what is where.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import numpy as np
import scipy.sparse
import torch
from torch import Tensor

from torch_geometric_vgcn.utils.whole_file import whole_file

#: Changes with the layout of the files.
FORMAT = 5
#: Marks what stands for an object that JSON doesn't have.
KIND = '@'
SPARSE = ('data', 'indices', 'indptr')


def write_plain(path: Path, kind: str, state: Mapping[str, Any]) -> None:
    r"""Writes a file, whole or not at all.

    Args:
        path (Path): The file.
        kind (str): What it is of.
        state (Mapping[str, Any]): Numbers, texts, :obj:`None`, dense tensors,
            arrays and sparse matrices of SciPy, in dictionaries and lists.
    """
    arrays: dict[str, np.ndarray] = {}
    about = {'kind': kind, 'format': FORMAT, 'state': _packed(state, arrays)}
    arrays['about'] = np.array(json.dumps(about))
    arrays['checksum'] = np.array(_checksum(arrays))
    with whole_file(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_plain(path: Path, kind: str, name: str = 'path') -> dict[str, Any]:
    r"""Reads what :func:`write_plain` has written. Nothing in the file is
    executed; any other file, or a damaged one, is refused, and :obj:`name` is
    what the message calls it.
    """
    with path.open('rb') as file:
        try:
            if not is_zipfile(file):
                raise ValueError('no archive of arrays')
            file.seek(0)
            with np.load(file, allow_pickle=False) as parts:
                arrays = {key: parts[key] for key in parts.files}
            about = json.loads(str(arrays['about']))
            if about['format'] != FORMAT:
                raise ValueError(f'of format {about["format"]}, not {FORMAT}')
            if about['kind'] != kind:
                raise ValueError(f'of a {about["kind"]}')
            if arrays.pop('checksum').item() != _checksum(arrays):
                raise ValueError('its checksum is not that of its content')
            return _unpacked(about['state'], arrays)
        except Exception as error:  # whatever a damaged file may cause
            raise ValueError(
                f"'{name}' must be a file of {kind}, got '{path}', which is "
                'damaged, of another version or another kind of file '
                f'({type(error).__name__}: {error})'
            ) from error


def _checksum(arrays: dict[str, np.ndarray]) -> str:
    r"""Of names and values: it tells missing arrays, too."""
    found = sha256()
    for name, array in sorted(arrays.items()):
        found.update(repr((name, array.dtype.str, array.shape)).encode())
        flat = np.ascontiguousarray(array).reshape(-1)
        found.update(flat.view(np.uint8).data)
    return found.hexdigest()


def _packed(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    r"""The same as JSON has it, with arrays apart."""
    if isinstance(value, Mapping):
        return {key: _packed(part, arrays) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_packed(part, arrays) for part in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Tensor):
        if value.layout != torch.strided:
            raise TypeError(f'a {value.layout} tensor can not be saved')
        dtype = str(value.dtype).removeprefix('torch.')
        # NumPy has all other types:
        value = value.float() if dtype == 'bfloat16' else value
        array = value.detach().cpu().numpy()
        return {KIND: 'tensor', 'dtype': dtype, 'at': _place(array, arrays)}
    if isinstance(value, scipy.sparse.csr_array):
        parts = [_place(getattr(value, part), arrays) for part in SPARSE]
        return {KIND: 'sparse', 'at': parts, 'shape': list(value.shape)}
    if isinstance(value, np.ndarray) and value.dtype.kind == 'O':
        return {KIND: 'texts', 'texts': [str(text) for text in value]}
    if isinstance(value, np.ndarray):
        return {KIND: 'array', 'at': _place(value, arrays)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f'{type(value).__name__} can not be saved')


def _place(array: np.ndarray, arrays: dict[str, np.ndarray]) -> str:
    r"""The name of an array in the file."""
    name = f'array-{len(arrays)}'
    arrays[name] = array
    return name


def _unpacked(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    if isinstance(value, list):
        return [_unpacked(part, arrays) for part in value]
    if not isinstance(value, dict):
        return value
    match value.get(KIND):
        case 'tensor':
            dtype = getattr(torch, value['dtype'])
            return torch.from_numpy(arrays[value['at']]).to(dtype)
        case 'sparse':
            parts = tuple(arrays[name] for name in value['at'])
            return scipy.sparse.csr_array(parts, shape=tuple(value['shape']))
        case 'texts':
            return np.array(value['texts'], dtype=object)
        case 'array':
            return arrays[value['at']]
    return {key: _unpacked(part, arrays) for key, part in value.items()}
