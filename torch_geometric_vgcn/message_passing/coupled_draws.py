from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# Operations that return nothing but random numbers.
DRAWS = (
    'bernoulli',
    'cauchy',
    'exponential',
    'geometric',
    'log_normal',
    'normal',
    'rand',
    'randint',
    'randn',
    'randperm',
    'random',
    'uniform',
)


class CoupledDraws(TorchDispatchMode):
    r"""Lets a model draw the same random numbers on several graphs, and on
    fewer edges: those that it drew on all of them, for the edges that are
    left.

    Args:
        kept (Tensor, optional): For each edge of the recorded call, whether
            it is left, of shape :obj:`[E]`. (default: :obj:`None`: records)
        source (CoupledDraws, optional): The record. (default: :obj:`None`)
        graph (int, optional): Which graph of the recorded call this is, if it
            held several. (default: :obj:`0`)
        num_nodes (int, optional): The number of nodes. (default: :obj:`0`)
        entries (Tensor, optional): Where the non-zeros of sparse features
            stand, of shape :obj:`[2, M]`, if this call has dense ones.
            (default: :obj:`None`)
    """

    def __init__(
        self,
        kept: Tensor | None = None,
        source: 'CoupledDraws | None' = None,
        graph: int = 0,
        num_nodes: int = 0,
        entries: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.entries = entries
        self.kept = kept
        self.graph = graph
        self.num_nodes = num_nodes
        self.draws: list[Tensor] = [] if source is None else source.draws
        self.place = 0
        self.matched = True  # whether all draws could be coupled
        self.narrow = False  # whether anything was less than double

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        self.narrow = self.narrow or (
            _is_narrow(out) and any(map(_is_float, tree_leaves(args)))
        )
        if torch.Tag.nondeterministic_seeded not in func.tags:
            return out
        name = func.overloadpacket.__name__
        if name.removesuffix('_like').rstrip('_') in DRAWS:
            return self._draw(out)
        if name == 'native_dropout':
            _, mask = out
            share = args[1]
            mask = self._draw(mask)
            scale = 0.0 if share >= 1 else 1 / (1 - share)
            return args[0] * mask * scale, mask
        self.matched = False
        return out

    def _draw(self, out: Tensor) -> Tensor:
        if self.kept is None:
            self.draws.append(out.clone())
            return out
        drawn = None
        if self.place < len(self.draws):
            drawn = self._aligned(self.draws[self.place], out.shape)
        self.place += 1
        if drawn is None:
            self.matched = False
            return out
        return out.copy_(drawn)

    def _aligned(self, drawn: Tensor, shape: torch.Size) -> Tensor | None:
        if drawn.dim() == 1 and len(shape) == 2 and self.entries is not None:
            if drawn.numel() != self.entries.size(1):
                return None
            dense = drawn.new_ones(shape)
            return dense.index_put(tuple(self.entries), drawn)
        if drawn.dim() == len(shape) + 1:  # one for each graph
            drawn = drawn[self.graph]
        if drawn.dim() != len(shape):
            return None
        for dim, size in enumerate(shape):
            if drawn.size(dim) == size:
                continue
            kept = self.kept_of(drawn.size(dim))
            if kept is None or int(kept.sum()) != size:
                return None
            drawn = drawn.index_select(dim, kept.nonzero().view(-1))
        return drawn

    def kept_of(self, size: int) -> Tensor | None:
        r"""Which edges are left of :obj:`size`: all, or all with the
        self-loops that a conv has appended.
        """
        assert self.kept is not None
        if size == self.kept.numel():
            return self.kept
        if size == self.kept.numel() + self.num_nodes:
            return torch.cat([self.kept, self.kept.new_ones(self.num_nodes)])
        return None


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _is_narrow(out: Any) -> bool:
    r"""Whether a result is less precise than double."""
    return any(
        _is_float(value) and value.dtype != torch.double
        for value in tree_leaves(out)
    )
