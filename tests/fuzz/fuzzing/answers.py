import math
from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data


class Wrong(AssertionError):
    r"""An answer that isn't right."""


def check_answer(answer: Any) -> None:
    r"""Refuses NaN and infinity, wherever they are in an answer."""
    if isinstance(answer, Tensor):
        value = answer.detach()
        if value.layout != torch.strided:
            value = value.to_dense()
        if value.is_floating_point() and not bool(value.isfinite().all()):
            raise Wrong('the answer holds NaN or infinity')
    elif isinstance(answer, float):
        if not math.isfinite(answer):
            raise Wrong(f'the answer is {answer}')
    elif isinstance(answer, dict):
        check_answer(list(answer.values()))
    elif isinstance(answer, (list, tuple)):
        for part in answer:
            check_answer(part)
    elif is_dataclass(answer) and not isinstance(answer, (type, Data)):
        check_answer([getattr(answer, f.name) for f in fields(answer)])
