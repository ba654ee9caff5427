r"""What nobody should give to a function, but somebody will."""

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import scipy.sparse
import torch
from torch import Tensor
from torch_geometric.data import Data, HeteroData

NAN, INF = float('nan'), float('inf')

# Each anew, as a call may change what it gets:
WRONG: list[Callable[[], Any]] = [
    *(lambda v=v: v for v in (None, True, False, '', 'abc', b'abc', ...)),
    *(lambda v=v: v for v in (0, 1, -1, 10**30, -(10**30), 2**63)),
    *(lambda v=v: v for v in (0.0, -0.0, 0.5, 2.5, -3.5, 1.0, 3.0)),
    *(lambda v=v: v for v in (1e-320, 1e308, -1e308, NAN, INF, -INF)),
    *(lambda v=v: v for v in (1j, Decimal('0.5'), Fraction(1, 3))),
    *(lambda v=v: v for v in (int, Path('nowhere'), range(3), slice(2))),
    *(lambda v=v: v for v in ((), (1, 2), frozenset())),
    lambda: [],
    lambda: [1, 2],
    lambda: [[0, 1], [1, 2]],
    dict,
    object,
    lambda: {'a': [1, 2]},
    lambda: np.float32(0.5),
    lambda: np.float64('nan'),
    lambda: np.int64(3),
    lambda: np.bool_(True),
    lambda: np.array([0.5, 0.5]),
    lambda: np.array([[0, 1], [1, 2]]),
    lambda: np.array([]),
    lambda: torch.tensor(0.5),
    lambda: torch.tensor(NAN),
    lambda: torch.tensor([]),
    lambda: torch.tensor([0, 1, 2]),
    lambda: torch.ones(2, 2),
    lambda: torch.eye(3).to_sparse(),
    lambda: torch.eye(3).to_sparse_csr(),
    lambda: torch.zeros(2, 0, dtype=torch.long),
    lambda: torch.zeros(0, 3),
    Data,
    HeteroData,
    lambda: torch.nn.Linear(3, 2),
    torch.Generator,
    networkx.Graph,
    lambda: networkx.path_graph(4),
    lambda: scipy.sparse.eye(4).tocsr(),
    lambda: scipy.sparse.csr_matrix((2, 5)),
    lambda: lambda *args, **kwargs: None,
]


def wrong(rng: random.Random) -> Any:
    return rng.choice(WRONG)()


def spoilt(value: Tensor, rng: random.Random) -> Tensor:
    r"""A right tensor that something happened to."""
    if value.layout != torch.strided:
        value = value.to_dense()
    value = value.detach().clone()
    way = rng.choice(WAYS)
    return way(value, rng)


def _with(value: Tensor, rng: random.Random, entry: float) -> Tensor:
    if value.numel() > 0:
        value.view(-1)[rng.randrange(value.numel())] = entry
    return value


def _float(value: Tensor) -> Tensor:
    return value if value.is_floating_point() else value.float()


WAYS: list[Callable[[Tensor, random.Random], Tensor]] = [
    *(
        lambda v, r, dtype=dtype: v.to(dtype)
        for dtype in (
            torch.float,
            torch.double,
            torch.half,
            torch.bfloat16,
            torch.cfloat,
            torch.int64,
            torch.int32,
            torch.int16,
            torch.uint8,
            torch.bool,
        )
    ),
    lambda v, r: v.flatten(),
    lambda v, r: v.unsqueeze(0),
    lambda v, r: v.unsqueeze(-1),
    lambda v, r: v.t() if v.dim() == 2 else v,
    lambda v, r: v[:0],
    lambda v, r: v[..., :0],
    lambda v, r: v[:1],
    lambda v, r: v[:-1],
    lambda v, r: v[..., :1],
    lambda v, r: torch.cat([v, v]) if v.dim() > 0 else v,
    lambda v, r: v.sum(),
    lambda v, r: v.numpy() if v.dtype != torch.bfloat16 else v,
    lambda v, r: v.tolist(),
    lambda v, r: v.to_sparse(),
    lambda v, r: v.to_sparse_csr() if v.dim() == 2 else v,
    lambda v, r: torch.zeros_like(v),
    lambda v, r: torch.ones_like(v),
    lambda v, r: v.expand(3, *v.shape),
    lambda v, r: _float(v).requires_grad_(),
    lambda v, r: _with(_float(v), r, NAN),
    lambda v, r: _with(_float(v), r, INF),
    lambda v, r: _with(_float(v), r, -INF),
    lambda v, r: _float(v) * 1e12,
    lambda v, r: _float(v) * 1e-30,
    lambda v, r: _with(v, r, -1) if v.dtype != torch.bool else v,
    lambda v, r: _with(v, r, 99) if v.dtype != torch.bool else v,
    lambda v, r: _with(v.long(), r, 2**62),
    lambda v, r: _with(v.long(), r, -(2**62)),
]
