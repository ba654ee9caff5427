r"""What tells two training runs apart, as readable names and values."""

from functools import partial
from hashlib import sha256
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.prior import Prior


def module_fingerprint(learner: Module, prefix: str = '') -> dict[str, str]:
    r"""The class and the plain public attributes of each module, the type and
    shape of each parameter, and the contents of each constant buffer, with
    names that start with :obj:`prefix`.
    """
    out = {}
    for path, module in learner.named_modules(prefix=prefix):
        name = path or 'learner'
        out[name] = str(qualified_name(type(module)))
        if not module.training:
            out[f'{name}.training'] = 'False'
        for key, value in vars(module).items():
            text = as_text(value)
            if not key.startswith('_') and key != 'training' and text:
                out[f'{name}.{key}'] = text
    for name, parameter in learner.named_parameters(prefix):
        frozen = '' if parameter.requires_grad else ', frozen'
        out[name] = f'{parameter.dtype} {list(parameter.shape)}{frozen}'
    constant = constant_buffers(learner)
    for name, buffer in learner.named_buffers():
        if name in constant:
            out[f'{prefix}.{name}' if prefix else name] = digest(buffer)
    return out


def constant_buffers(learner: Module) -> set[str]:
    r"""The buffers that training leaves as they are: those of the prior, and
    those that aren't part of the state. (The running statistics of batch
    normalisation change.)
    """
    priors = [
        f'{path}.' if path else ''
        for path, module in learner.named_modules()
        if isinstance(module, Prior)
    ]
    state = learner.state_dict().keys()
    return {
        name
        for name, _ in learner.named_buffers()
        if name not in state or name.startswith(tuple(priors))
    }


def digest(value: Tensor) -> str:
    r"""The type and shape of a tensor, dense or sparse, and a hash of its
    contents.
    """
    value, kind = value.detach(), ''
    parts = [value]
    if value.layout != torch.strided:
        kind = f' {value.layout}'
        entries = value.to_sparse_coo().coalesce()
        parts = [entries.indices(), entries.values()]
    content = sha256()
    for part in parts:
        part = part.as_subclass(Tensor)
        data = part.cpu().contiguous().view(-1).view(torch.uint8)
        content.update(data.numpy().data)
    short = content.hexdigest()[:16]
    return f'{value.dtype} {list(value.shape)}{kind} #{short}'


def as_text(value: Any) -> str | None:
    r"""A plain value or function as text, or :obj:`None` for anything else
    and for :obj:`None` itself (which may stand for what is yet to come).
    """
    if isinstance(value, (bool, int, float, str, torch.dtype)):
        return repr(value)
    if isinstance(value, (tuple, list)):
        parts = ['None' if v is None else as_text(v) for v in value]
        return f'[{", ".join(map(str, parts))}]' if all(parts) else None
    if isinstance(value, dict):
        return as_text([list(item) for item in value.items()])
    if isinstance(value, partial):
        return as_text([value.func, list(value.args), value.keywords])
    return qualified_name(value)


def qualified_name(value: Any) -> str | None:
    r"""The full name of a function or class, or :obj:`None`."""
    name = getattr(value, '__qualname__', None)
    return None if name is None else f'{value.__module__}.{name}'


def differences(there: dict[str, str], here: dict[str, str]) -> list[str]:
    r"""In what two fingerprints differ."""
    return [
        f'{name} is {there.get(name)} there, {here.get(name)} here'
        for name in {**here, **there}
        if there.get(name) != here.get(name)
    ]
