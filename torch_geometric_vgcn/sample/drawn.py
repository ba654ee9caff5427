import threading
from typing import Any
from weakref import ref

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
        self._key = object()  # of the notes in autograd graphs

    @torch.compiler.disable
    def remember(self, out: Tensor, sample: GraphSample) -> None:
        r"""Takes note of an output and its graphs."""
        self.last = sample
        self._by_output[out] = sample
        # What is computed from the output, or from the weights themselves,
        # leads back to them. The sample holds its weights, so that a note of
        # theirs must not hold the sample.
        for tensor, note in (
            (sample.weight, ref(sample)),
            (out, lambda: sample),
        ):
            if tensor.grad_fn is not None:
                _notes(tensor.grad_fn)[self._key] = note

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
        if sample is not None:
            return sample
        found = self._sources(out)
        if len(found) != 1:
            what = 'any graphs' if not found else 'the graphs of one call'
            raise RuntimeError(
                f"'out' can't be told to come from {what}: keep 'sample = "
                "learner.sample' right after the call of the model and pass "
                'it on, objective(out, y, mask, sample=sample)'
            )
        return found.pop()

    def _sources(self, out: Tensor) -> set[GraphSample]:
        r"""The graphs that :obj:`out` was computed from, as far as autograd
        knows.
        """
        found, seen, todo = set(), set(), [out.grad_fn]
        while todo:
            node = todo.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            note = _notes(node).get(self._key)
            sample = None if note is None else note()
            if sample is None:
                todo += [function for function, _ in node.next_functions]
            else:
                found.add(sample)
        return found

    def __reduce__(self) -> Any:
        # A sample belongs to an autograd graph and to a thread: not copied.
        return Drawn, ()


def _notes(node: Any) -> dict[Any, Any]:
    r"""What is kept with a node of an autograd graph, as long as it lives."""
    return node.metadata
