r"""Names of version 0.2 for the ways to call a conv. They go with 0.4."""

import warnings
from typing import Any, ClassVar

from torch.nn import Module

from torch_geometric_vgcn.message_passing.call import ConvCall
from torch_geometric_vgcn.message_passing.way import Way
from torch_geometric_vgcn.sample import Bernoulli, BinaryConcrete, Sampler


def _warn(name: str) -> None:
    warnings.warn(
        f'{name} is deprecated and goes with 0.4: use '
        'ConvCall(conv, sampler), which finds the way to call a conv itself',
        DeprecationWarning,
        stacklevel=3,
    )


class OneWay(ConvCall):
    r"""Calls a conv in one way only.

    Args:
        conv (torch.nn.Module): The conv or model.
    """

    way: ClassVar[Way]

    def __init__(self, conv: Module) -> None:
        _warn(type(self).__name__)
        hard = self.way is Way.KEPT
        super().__init__(conv, Bernoulli() if hard else BinaryConcrete())
        if self.way not in self.ways:
            raise TypeError(
                f"'conv' ({type(conv).__name__}) can't be called by "
                f'{self.way.value}'
            )
        self.ways = [self.way]


class AdjacencyMatrix(OneWay):
    r"""Deprecated: :class:`ConvCall` takes matrices where it can."""

    way = Way.MATRIX


class DenseAdjacency(OneWay):
    r"""Deprecated: :class:`ConvCall` calls dense convs so."""

    way = Way.DENSE


class EdgeWeight(OneWay):
    r"""Deprecated: :class:`ConvCall` weights edges for all convs alike."""

    way = Way.WEIGHTS


class MessageGate(OneWay):
    r"""Deprecated: :class:`ConvCall` weights edges for all convs alike."""

    way = Way.WEIGHTS


class KeptEdges(OneWay):
    r"""Deprecated: :class:`ConvCall` takes only the edges of hard samples."""

    way = Way.KEPT


def choose_route(conv: Module, sampler: Sampler) -> ConvCall:
    r"""Deprecated: use :class:`ConvCall`."""
    _warn('choose_route')
    return ConvCall(conv, sampler)


def __getattr__(name: str) -> Any:
    if name in ('Route', 'ProvedRoute'):
        raise ImportError(
            f'{name} is no more: how a conv is called is no object of its own '
            'any longer. A conv of your own needs none (ConvCall weights the '
            'edges of any), and learner.route may be any function of conv, x, '
            'sample and attributes'
        )
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
