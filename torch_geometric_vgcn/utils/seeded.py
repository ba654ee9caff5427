from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd
# What random numbers are replaced by:
CONSTANT = {
    'bernoulli': 1.0,
    'exponential': 1.0,
    'normal': 0.0,
    'rand': 0.5,
    'randint': 0,
    'randn': 0.0,
    'random': 0,
    'uniform': 0.5,
}


class Seeded(TorchDispatchMode):
    r"""Gives PyTorch's random functions a generator of their own inside a
    :obj:`with` block, in this thread only: for code that takes no generator,
    such as a module with dropout. No global generator is read, moved or
    seeded, so that other threads neither disturb it nor notice it.

    The random numbers of NumPy and of Python have no such means: they stay as
    they are. Fused attention with dropout on a GPU takes no generator, and
    draws from the device's own.

    Args:
        seed (int): The seed of the generator, of one for each device.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed
        self._generators: dict[torch.device, torch.Generator] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if _is_plain(func):
            return func(*args, **kwargs)
        if func.has_kernel_for_dispatch_key(COMPOSITE):
            with self:  # of inference mode: look inside
                return func.decompose(*args, **kwargs)
        given = (*args, *kwargs.values())
        if any(isinstance(value, torch.Generator) for value in given):
            return func(*args, **kwargs)
        device = next(
            (value.device for value in given if isinstance(value, Tensor)),
            torch.device(kwargs.get('device') or 'cpu'),
        )
        if device.type == 'meta':
            return func(*args, **kwargs)
        # A recomputation has gradients, unlike the rest of a backward pass:
        if torch._C._current_graph_task_id() >= 0 and torch.is_grad_enabled():
            raise RuntimeError(
                'random numbers, such as those of dropout, were drawn again '
                'in the backward pass, where they would be others: use the '
                "model without 'torch.utils.checkpoint' here"
            )
        if func is torch.ops.aten.native_dropout.default:
            x, share, training = args
            if training is False or share == 0:
                return func(*args, **kwargs)
            kept = torch.empty_like(x).bernoulli_(
                1 - share, generator=self._generator(device)
            )
            scale = 0.0 if share >= 1 else 1 / (1 - share)
            return x * kept * scale, kept.bool()
        seedable = _with_generator(func)
        if seedable is None:
            return func(*args, **kwargs)
        kwargs = {**kwargs, 'generator': self._generator(device)}
        return seedable(*args, **kwargs)

    def _generator(self, device: torch.device) -> torch.Generator:
        made = torch.Generator(device)
        if made.device not in self._generators:
            self._generators[made.device] = made.manual_seed(self.seed)
        return self._generators[made.device]


@cache
def _is_plain(func: Any) -> bool:
    r"""Whether a function draws nothing, and contains none that does."""
    draws = torch.Tag.nondeterministic_seeded in func.tags
    return not draws and not func.has_kernel_for_dispatch_key(COMPOSITE)


@cache
def _with_generator(func: Any) -> Any:
    r"""The overload of a random function that takes a generator."""
    own = _arguments(func)
    if 'generator' in own:
        return func
    for name in func.overloadpacket.overloads():
        other = getattr(func.overloadpacket, name)
        arguments = _arguments(other)
        if arguments.pop('generator', None) and arguments == own:
            return other
    return None


def _arguments(func: Any) -> dict[str, str]:
    return {arg.name: str(arg.type) for arg in func._schema.arguments}


class ConstantDraws(TorchDispatchMode):
    r"""Replaces random numbers by constants, and dropout by nothing, so that a
    model does the same on fewer edges. Notes whether anything is computed in
    less than double precision.
    """

    narrow = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        self.narrow |= any(
            value.is_floating_point() and value.dtype != torch.double
            for value in tree_leaves((out, args))
            if isinstance(value, Tensor)
        )
        name = func.overloadpacket.__name__
        if torch.Tag.nondeterministic_seeded not in func.tags:
            return out
        if name == 'native_dropout':
            return args[0].clone(), torch.ones_like(out[1])
        value = CONSTANT.get(name.removesuffix('_like').rstrip('_'))
        return out if value is None else out.fill_(value)
