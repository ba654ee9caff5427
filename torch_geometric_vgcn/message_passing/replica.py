import operator
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MethodType
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module, Parameter, RNNBase
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.nn.parameter import is_lazy
from torch.nn.utils import parametrize
from torch.nn.utils.parametrize import is_parametrized

Tensors = Mapping[str, Tensor | None]
Precision = Callable[[Tensor], Tensor]
CACHE = '_cache_enabled'  # of PyTorch's parametrizations
ORIGINAL = '_original'  # what a copy was made of, in a tuple


class Replica:
    r"""A shallow copy of a module and of modules inside it, with the same
    parameters and buffers: what is changed in the copy, such as a method, is
    seen by no other thread and can't stay behind.

    Args:
        module (torch.nn.Module): The module.
        wanted (Callable, optional): Which modules to copy. Those that contain
            one of them are copied too. (default: :obj:`None`, all)
        training (bool, optional): The mode of all copies.
            (default: :obj:`None`, that of the originals)
        tensors (Callable, optional): What to hold instead of the parameters
            and instead of the buffers. (default: :obj:`None`, the same)
    """

    def __init__(
        self,
        module: Module,
        wanted: Callable[[Module], bool] | None = None,
        training: bool | None = None,
        tensors: Callable[[Tensors], Tensors] | None = None,
    ) -> None:
        self.wanted = wanted
        self.training = training
        self.tensors = tensors
        self.copies: dict[Module, Module] = {}
        self.module = self._copy(module)

    def _copy(self, module: Module) -> Module:
        if module in self.copies:  # shared inside the model: shared here too
            return self.copies[module]
        children = {
            name: None if child is None else self._copy(child)
            for name, child in module._modules.items()
        }
        if self.wanted is not None and not self.wanted(module):
            own = module._modules
            if all(own[name] is child for name, child in children.items()):
                return module
        if is_parametrized(module) and getattr(parametrize, CACHE, False):
            raise RuntimeError(
                "parametrize.cached() can't be used around a learner: it "
                'would take the weights of one copy of a module for those of '
                'another'
            )
        copy = module.__new__(type(module))
        state = copy.__dict__
        state.update(module.__dict__)
        for name, value in module.__dict__.items():
            # Some classes of PyG keep methods of an object as attributes.
            if type(value) is MethodType and value.__self__ is module:
                state[name] = MethodType(value.__func__, copy)
        if self.training is not None:
            state['training'] = self.training
        if self.tensors is not None:
            state['_parameters'] = self.tensors(module._parameters)
            state['_buffers'] = self.tensors(module._buffers)
            if isinstance(module, RNNBase):  # which has a list of them, too
                names = module._flat_weights_names
                state['_flat_weights'] = [
                    state['_parameters'].get(name, getattr(module, name, None))
                    for name in names
                ]
        state['_modules'] = children
        state[ORIGINAL] = (module,)
        self.copies[module] = copy
        return copy

    @contextmanager
    def changed(
        self, changes: Callable[[Module], dict[str, Any]]
    ) -> Iterator[Module]:
        r"""Gives the copies other attributes. What else they change in
        themselves meanwhile, such as attention that a conv remembers, goes
        back to the originals.
        """
        before = {}
        for copy in self.copies.values():
            copy.__dict__.update(changes(copy))
            before[copy] = dict(copy.__dict__)
        yield self.module
        for module, copy in self.copies.items():
            self._return(module, copy, before[copy])

    def _return(
        self, module: Module, copy: Module, before: dict[str, Any]
    ) -> None:
        now = copy.__dict__
        if len(now) != len(before) or any(
            map(operator.is_not, now.values(), before.values())
        ):
            for name in before.keys() - now.keys():
                module.__dict__.pop(name, None)
            for name, value in now.items():
                if name not in before or value is not before[name]:
                    module.__dict__[name] = value
        for name, child in copy._modules.items():
            if name not in module._modules:
                module._modules[name] = child  # made in the call


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


def evaluated(module: Module) -> Module:
    r"""The module in evaluation mode, with the module itself left as it is."""
    return Replica(module, training=False).module


def trial_of(module: Module, training: bool) -> Module:
    r"""A copy to try things with, whose buffers are its own."""

    def own(tensors: Tensors) -> Tensors:
        return {name: _own(tensor) for name, tensor in tensors.items()}

    return Replica(module, None, training, own).module


def snapshot(module: Module, precision: Precision) -> Module:
    r"""A copy with parameters and buffers of its own, which stays as it is
    while another thread trains the module.

    Args:
        module (torch.nn.Module): The module.
        precision (Callable): What to do with each tensor.
    """

    def still(tensors: Tensors) -> Tensors:
        return {
            name: _still(tensor, precision) for name, tensor in tensors.items()
        }

    return Replica(module, tensors=still).module


def _own(tensor: Tensor | None) -> Tensor | None:
    if tensor is None or is_lazy(tensor) or isinstance(tensor, Parameter):
        return tensor
    return tensor.clone()


def _still(tensor: Tensor | None, precision: Precision) -> Tensor | None:
    if tensor is None or is_lazy(tensor):
        return tensor
    copy = precision(tensor.detach().clone())
    return Parameter(copy, False) if isinstance(tensor, Parameter) else copy


def single(tensor: Tensor) -> Tensor:
    r"""The same numbers in at least single precision."""
    if not tensor.is_floating_point():
        return tensor
    return tensor.to(torch.promote_types(tensor.dtype, torch.float))


def double(tensor: Tensor) -> Tensor:
    r"""The same numbers in double precision."""
    return tensor.double() if tensor.is_floating_point() else tensor
