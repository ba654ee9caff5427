import inspect
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch.nn import Module

# By these, modules say that they can't be called so:
UNEXPLAINED = (
    AssertionError,
    AttributeError,
    IndexError,
    NotImplementedError,
    RuntimeError,
    TypeError,
)


@contextmanager
def explained(
    module: Module,
    x: Tensor,
    name: str = 'conv',
    given: Collection[str] | None = None,
) -> Iterator[None]:
    r"""Turns the errors of Python and PyTorch by which a user's module can't
    be called into one that says what it was called with. Any other error is
    the module's own, and stays what it is.

    Args:
        module (torch.nn.Module): The module.
        x (Tensor): The features that it is called with.
        name (str, optional): The name of its argument. (default:
            :obj:`'conv'`)
        given (Collection[str], optional): The names of all that it is called
            with beside features and graph, so that the error can say what is
            missing. (default: :obj:`None`, says nothing)
    """
    try:
        yield
    except Exception as error:
        if type(error) not in UNEXPLAINED or str(error).startswith(
            f"'{name}'"
        ):
            raise
        sparse = '' if x.layout == torch.strided else 'sparse '
        missing = []
        if given is not None:
            missing = [n for n in further_arguments(module) if n not in given]
        without = f', without {" and ".join(missing)}' if missing else ''
        raise TypeError(
            f"'{name}' ({type(module).__name__}) can't be called with "
            f"{sparse}features 'x' of shape {list(x.shape)} ({x.dtype}) and a "
            f'graph{without}: {type(error).__name__}: {error}'
        ) from error


def further_arguments(module: Module) -> dict[str, inspect.Parameter]:
    r"""The arguments of a module beside features and graph, by name."""
    try:
        parameters = inspect.signature(module.forward).parameters
    except (TypeError, ValueError):  # of a compiled module
        return {}
    return {
        name: parameter
        for name, parameter in list(parameters.items())[2:]
        if parameter.kind
        not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }
