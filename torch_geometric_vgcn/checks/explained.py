from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch.nn import Module


@contextmanager
def explained(module: Module, x: Tensor, name: str = 'conv') -> Iterator[None]:
    r"""Turns whatever error a user's module raises into one that says what it
    was called with.
    """
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except Exception as error:
        sparse = '' if x.layout == torch.strided else 'sparse '
        raise TypeError(
            f"'{name}' ({type(module).__name__}) can't be called with "
            f"{sparse}features 'x' of shape {list(x.shape)} ({x.dtype}) and a "
            f'graph: {type(error).__name__}: {error}'
        ) from error
