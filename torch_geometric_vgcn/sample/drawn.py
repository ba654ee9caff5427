import threading
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from torch_geometric_vgcn.sample.graph_sample import GraphSample


class Drawn(threading.local):
    r"""Which graphs a learner has drawn last, in each thread its own, and
    which output came from which graphs.
    """

    def __init__(self) -> None:
        self.last: GraphSample | None = None
        self._by_output = WeakTensorKeyDictionary()
        # Calls since the last bound, with gradients and in all:
        self._calls = {True: 0, False: 0}

    @torch.compiler.disable
    def remember(self, out: Tensor, sample: GraphSample) -> None:
        r"""Takes note of an output and its graphs."""
        self.last = sample
        self._by_output[out] = sample
        self._calls[False] += 1
        if torch.is_grad_enabled():
            self._calls[True] += 1

    @torch.compiler.disable
    def behind(self, out: Tensor) -> GraphSample:
        r"""The graphs that :obj:`out` came from: the output of the learner
        itself, or of a model around it. Raises an error if that can't be
        told.
        """
        if self.last is None:
            raise RuntimeError(
                'no graph was sampled yet: call the learner before its '
                'objective'
            )
        sample = self._by_output.get(out)
        if sample is None:
            sample = self.last
            if sample.weight.requires_grad and out.requires_grad:
                tied = _descends(out, sample.weight)
            else:
                tied = self._calls[out.requires_grad] < 2
            if not tied:
                raise RuntimeError(
                    "'out' can't be told to come from the graphs that were "
                    "drawn last: call 'objective' right after the model, or "
                    "keep 'sample = learner.sample' right after it and pass "
                    'it on, objective(out, y, mask, sample=sample)'
                )
        self._calls = {True: 0, False: 0}
        return sample

    def __reduce__(self) -> Any:
        # A sample belongs to an autograd graph and to a thread: not copied.
        return Drawn, ()


def _descends(out: Tensor, weight: Tensor) -> bool:
    r"""Whether :obj:`out` was computed from :obj:`weight`."""
    wanted, seen, todo = weight.grad_fn, set(), [out.grad_fn]
    while todo:
        node = todo.pop()
        if node is wanted:
            return True
        if node is not None and node not in seen:
            seen.add(node)
            todo += [function for function, _ in node.next_functions]
    return False
