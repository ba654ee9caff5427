from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

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
        if name.removesuffix('_like').rstrip('_') in CONSTANT:
            return out.fill_(CONSTANT[name.removesuffix('_like').rstrip('_')])
        return out
