import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import MethodType
from typing import Any

from torch import Tensor
from torch.nn import Module, Parameter, RNNBase
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.nn.parameter import is_lazy
from torch.nn.utils import parametrize
from torch.nn.utils.parametrize import is_parametrized

CACHE = '_cache_enabled'  # of PyTorch's parametrizations
ORIGINAL = '_original'  # what a copy was made of, in a tuple


def shallow_copy(
    module: Module,
    *,
    training: bool | None = None,
    tensor: Callable[[Tensor], Tensor] | None = None,
    only: Callable[[Module], bool] | None = None,
    copies: dict[Module, Module] | None = None,
) -> Module:
    r"""A copy of a module and of the modules inside it, with the same
    parameters and buffers. What is changed in the copy, such as its mode or a
    method, is seen by no other thread.

    Args:
        module (torch.nn.Module): The module.
        training (bool, optional): The mode of all copies.
            (default: :obj:`None`, that of the originals)
        tensor (Callable, optional): What to make of each parameter and
            buffer. Such parameters need no gradient. (default: :obj:`None`,
            they are shared with the original)
        only (Callable, optional): Which modules to copy. Those that contain
            one of them are copied, too. (default: :obj:`None`, all)
        copies (dict, optional): Takes note of the copy of each module.
            (default: :obj:`None`)
    """
    copies = {} if copies is None else copies
    if module in copies:  # shared inside the model: shared here, too
        return copies[module]
    children = {
        name: None
        if child is None
        else shallow_copy(
            child, training=training, tensor=tensor, only=only, copies=copies
        )
        for name, child in module._modules.items()
    }
    if only is not None and not only(module):
        own = module._modules
        if all(own[name] is child for name, child in children.items()):
            return module
    if is_parametrized(module) and getattr(parametrize, CACHE, False):
        raise RuntimeError(
            "parametrize.cached() can't be used around a learner: it would "
            'take the weights of one copy of a module for those of another'
        )
    copy = module.__new__(type(module))
    state = copy.__dict__
    state.update(module.__dict__)
    for name, value in module.__dict__.items():
        # Some classes of PyG keep methods of an object as attributes.
        if type(value) is MethodType and value.__self__ is module:
            state[name] = MethodType(value.__func__, copy)
    state['_modules'] = children
    state[ORIGINAL] = (module,)
    if training is not None:
        state['training'] = training
    if tensor is not None:
        for kind in ('_parameters', '_buffers'):
            state[kind] = {
                name: _other(value, tensor)
                for name, value in state[kind].items()
            }
        if isinstance(copy, RNNBase):  # which has a list of them, too
            names = copy._flat_weights_names
            state['_flat_weights'] = [getattr(copy, n, None) for n in names]
    copies[module] = copy
    return copy


def _other(
    value: Tensor | None, tensor: Callable[[Tensor], Tensor]
) -> Tensor | None:
    if value is None or is_lazy(value):
        return value
    other = tensor(value)
    return Parameter(other, False) if isinstance(value, Parameter) else other


def evaluated(module: Module) -> Module:
    r"""The module in evaluation mode, with the module itself left as it is."""
    return shallow_copy(module, training=False)


@contextmanager
def replaced(
    module: Module, changes: Callable[[Module], dict[str, Any]]
) -> Iterator[Module]:
    r"""A copy in which some modules have other attributes. What else they
    change in themselves meanwhile, such as attention that a conv remembers,
    goes back to the originals.

    Args:
        module (torch.nn.Module): The module.
        changes (Callable): The other attributes of a module.
    """
    copies: dict[Module, Module] = {}
    copy = shallow_copy(
        module, only=lambda part: bool(changes(part)), copies=copies
    )
    before = {}
    for part in copies.values():
        part.__dict__.update(changes(part))
        before[part] = dict(part.__dict__)
    yield copy
    for original, part in copies.items():
        _give_back(original, part.__dict__, before[part])


def _give_back(
    module: Module, now: dict[str, Any], before: dict[str, Any]
) -> None:
    if len(now) != len(before) or any(
        map(operator.is_not, now.values(), before.values())
    ):
        for name in before.keys() - now.keys():
            module.__dict__.pop(name, None)
        for name, value in now.items():
            if name not in before or value is not before[name]:
                module.__dict__[name] = value
    for name, child in now['_modules'].items():
        module._modules.setdefault(name, child)  # made in the call


@contextmanager
def only_copies(module: Module) -> Iterator[None]:
    r"""Raises an error if, while copies are called, a module itself is: a copy
    can't know of references that aren't submodules.
    """
    originals, thread = set(_with_originals(module)), threading.get_ident()

    def check(called: Module, args: Any) -> None:
        if called in originals and threading.get_ident() == thread:
            raise TypeError(
                f"'conv' ({type(module).__name__}) calls its "
                f'{type(called).__name__} by a reference that is no '
                'submodule, such as a lambda that holds the model: call '
                'submodules as attributes of the model'
            )

    handle = register_module_forward_pre_hook(check)
    try:
        yield
    finally:
        handle.remove()


def _with_originals(module: Module) -> Iterator[Module]:
    for part in module.modules():
        yield part
        while ORIGINAL in part.__dict__:
            (part,) = part.__dict__[ORIGINAL]
            yield part
