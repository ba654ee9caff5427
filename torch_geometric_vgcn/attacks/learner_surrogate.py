from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data

from torch_geometric_vgcn.attacks.mean_graph import MeanGraph
from torch_geometric_vgcn.attacks.trained_gcn import num_inputs, trained
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.pairs import Candidates, Pairs
from torch_geometric_vgcn.posterior import ClassPosterior
from torch_geometric_vgcn.prior import Prior, cosine_similarity
from torch_geometric_vgcn.utils import (
    check_callable,
    check_count,
    check_kind,
    check_number,
    check_probability,
    check_share,
)


class LearnerSurrogate:
    r"""The surrogate of an attacker that knows the defence: a network on the
    mean of the graph that a learner with
    :class:`~torch_geometric_vgcn.EvidencePrior` and
    :class:`~torch_geometric_vgcn.ClassPosterior` would infer from the attacked
    graph

    .. math::
        w_{ij} = a_{ij} \, \sigma \Big( \mathrm{logit}\, \bar\rho_1 + w \,
        \frac{s(\mathbf{x}_i, \mathbf{x}_j) - \mu}{\sigma} + \log \Big[ h
        \frac{p_{ij}}{c} + (1 - h) \frac{1 - p_{ij}}{1 - c} \Big] \Big),

    where :math:`a` are the attacker's edge weights, :math:`\mu` and
    :math:`\sigma` the similarity's mean and standard deviation over the edges
    by these weights, :math:`p_{ij}` the probability that both nodes have the
    same class, and :math:`c` that of two random nodes. So
    :class:`GradientAttack` sees how an edge moves the standardisation, and
    that an improbable edge has no effect.

    The network is trained on the prior's mean of the given graph. Then its
    class probabilities, or the labels of training nodes, are fixed.

    Args:
        rho1 (float, optional): The prior probability :math:`\bar\rho_1` of
            an observed edge. (default: :obj:`0.5`)
        weight (float, optional): The weight :math:`w` of a standard deviation
            of similarity, in logits. (default: :obj:`2.0`)
        similarity (Callable, optional): The similarity :math:`s`, a function
            of :obj:`x` and the pairs that depends on each pair alone.
            (default: :func:`~torch_geometric_vgcn.prior.cosine_similarity`)
        homophily (float, optional): The share :math:`h` of true edges that
            connect nodes of the same class; :obj:`None` leaves the classes
            out. (default: :obj:`0.9`)
        network (Callable, optional): Makes the network from the numbers of
            features and classes.
            (default: :class:`~torch_geometric_vgcn.models.PropagatedMLP` with
            64 hidden units)
        epochs (int, optional): The maximum number of epochs.
            (default: :obj:`200`)
    """

    def __init__(
        self,
        rho1: float = 0.5,
        weight: float = 2.0,
        similarity: Callable[[Tensor, Pairs], Tensor] = cosine_similarity,
        homophily: float | None = 0.9,
        network: Callable[[int, int], Module] | None = None,
        epochs: int = 200,
    ) -> None:
        if not callable(similarity):
            raise TypeError(
                "'similarity' must be a function of 'x' and the pairs, got "
                f'{type(similarity).__name__}'
            )
        check_callable(network, 'network')
        self.rho1 = check_probability(rho1, 'rho1')
        self.weight = check_number(weight, 'weight')
        self.similarity = similarity
        if homophily is not None:
            homophily = check_share(homophily, 'homophily')
        self.homophily = homophily
        self.network = _propagated_mlp if network is None else network
        self.epochs = check_count(epochs, 'epochs', least=1)

    def __call__(self, data: Data) -> MeanGraph:
        in_channels, out_channels = num_inputs(data)
        network = self.network(in_channels, out_channels)
        check_kind(network, Module, 'network(in_channels, out_channels)')
        network = MeanGraph(network, self.rho1, self.weight, self.similarity)
        trained(network, data, self.epochs)
        if self.homophily is not None:
            classes = self._classes(network, data, self.homophily)
            network.know_classes(classes)
        return network

    @torch.no_grad()
    def _classes(
        self, network: MeanGraph, data: Data, homophily: float
    ) -> ClassPosterior:
        out = network(data.x, data.edge_index)
        # A momentum of one forgets the uniform probabilities of the start:
        classes = ClassPosterior(out.size(1), homophily, momentum=1.0)
        pairs = Candidates(data.edge_index, out.size(0))
        prior = Prior(pairs, out.new_zeros(len(pairs)))
        classes.initialize_from(prior)
        classes.observe(out[None], data.y, data.train_mask, prior)
        return classes

    def __repr__(self) -> str:
        return (
            f'{type(self).__name__}(rho1={self.rho1}, weight={self.weight}, '
            f'homophily={self.homophily}, epochs={self.epochs})'
        )


def _propagated_mlp(in_channels: int, out_channels: int) -> Module:
    return PropagatedMLP(in_channels, 64, out_channels)
