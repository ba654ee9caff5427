import os
import random
import reprlib
import signal
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data

from fuzzing.answers import Wrong, check_answer
from fuzzing.errors import is_own
from fuzzing.values import spoilt, wrong

SECONDS = 30  # for one case; an endless loop is a failure too

TARGETS: dict[str, Callable[['Case'], None]] = {}
COVERED: set[str] = set()


def target(*names: str) -> Callable:
    r"""Registers a function that makes the calls of one case, and the public
    names that it calls.
    """

    def register(function: Callable[['Case'], None]) -> Callable:
        TARGETS[function.__name__] = function
        COVERED.update(names)
        return function

    return register


class Passed(Exception):
    r"""Ends a case in which all is well."""


class Case:
    r"""One seeded series of calls, which draws its arguments itself."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.random = random.Random(f'{name} {seed}')
        self.wrongness = self.random.choice((0.0, 0.1, 0.2, 0.5))
        self.calls: list[str] = []

    def one_of(self, *values: Any) -> Any:
        return self.random.choice(values)

    def maybe(self, chance: float = 0.5) -> bool:
        return self.random.random() < chance

    def arg(self, *values: Any) -> Any:
        r"""One of the right values, or now and then a wrong one."""
        value = self.one_of(*values)
        if not self.maybe(self.wrongness):
            return value
        if isinstance(value, Tensor) and self.maybe(0.7):
            return spoilt(value, self.random)
        if isinstance(value, Data) and self.maybe(0.8):
            return self.spoilt_data(value)
        return wrong(self.random)

    def spoilt_data(self, data: Data) -> Data:
        r"""Some attributes are missing, or aren't what they should be."""
        data = data.clone()
        for name in sorted(data.keys()):  # PyG has no order
            if self.maybe(0.3):
                del data[name]
            elif self.maybe(0.3):
                data[name] = self.arg(data[name])
        return data

    def kwargs(self, **values: Any) -> dict[str, Any]:
        r"""Some of the optional arguments."""
        return {k: self.arg(v) for k, v in values.items() if self.maybe(0.4)}

    @contextmanager
    def right(self) -> Iterator[None]:
        r"""Draws right arguments only."""
        before, self.wrongness = self.wrongness, 0.0
        try:
            yield
        finally:
            self.wrongness = before

    def call(self, function: Callable, *args: Any, **kwargs: Any) -> Any:
        r"""Calls something public, and checks that its answer is finite."""
        given = [short(value) for value in args]
        given += [f'{name}={short(value)}' for name, value in kwargs.items()]
        self.calls.append(f'{name_of(function)}({", ".join(given)})')
        answer = function(*args, **kwargs)
        check_answer(answer)
        return answer

    def step(self, function: Callable, *args: Any, **kwargs: Any) -> Any:
        r"""Calls a part of a training step, which mustn't wait for the device
        to look for NaN: what isn't finite may go out as it came in, and ends
        the case.
        """
        try:
            check_answer([args, kwargs])
        except Wrong:
            with suppress(Wrong):
                self.call(function, *args, **kwargs)
            raise Passed from None
        return self.call(function, *args, **kwargs)

    def check(self, right: bool, message: str) -> None:
        if not right:
            raise Wrong(message)

    def check_probs(self, prob: Tensor) -> None:
        r"""Rows of probabilities, which sum to one."""
        self.check(bool((prob >= 0).all() and (prob <= 1.0001).all()), 'prob')
        near = torch.allclose(
            prob.double().sum(-1), torch.ones(1).double(), atol=1e-2
        )
        self.check(near, 'rows must sum to one')

    def check_edges(self, edge_index: Tensor, num_nodes: int) -> None:
        right = edge_index.dim() == 2 and edge_index.size(0) == 2
        right = right and edge_index.dtype == torch.int64
        if right and edge_index.numel() > 0:
            low, high = int(edge_index.min()), int(edge_index.max())
            right = low >= 0 and high < num_nodes
        self.check(right, 'edge ids out of range')


def run(name: str, seed: int) -> tuple[int, str | None]:
    r"""Runs one case. Returns the number of calls, and what was wrong."""
    case = Case(name, seed)
    torch.manual_seed(seed)

    def stop(*_: Any) -> None:
        raise Wrong(f'took longer than {SECONDS} s')

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings(), in_new_folder():
            warnings.simplefilter('ignore')
            TARGETS[name](case)
    except Passed:
        pass
    except Exception as error:
        if is_own(error):  # which ends a case
            return len(case.calls), None
        calls = '\n  '.join(case.calls)
        return len(case.calls), (
            f'python -m fuzzing {name} {seed}\n  {calls}\n'
            f'{traceback.format_exc()}'
        )
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return len(case.calls), None


@contextmanager
def in_new_folder() -> Iterator[None]:
    r"""What a case writes, it writes to a folder of its own."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def name_of(function: Any) -> str:
    name = getattr(function, '__qualname__', None)
    return name or type(function).__qualname__


def short(value: Any) -> str:
    if isinstance(value, Module):
        return f'{type(value).__name__}(...)'
    if not isinstance(value, Tensor):
        return reprlib.repr(value)
    text = f'<{str(value.dtype)[6:]} {list(value.shape)}'
    if value.layout != torch.strided:
        text += f' {str(value.layout)[6:]}'
    if 0 < value.numel() <= 6 and value.layout == torch.strided:
        text += f' {value.flatten().tolist()}'
    elif value.is_floating_point() and value.layout == torch.strided:
        bad = value.numel() - int(value.isfinite().sum())
        text += f' {bad} not finite' if bad else ''
    return text + '>'
