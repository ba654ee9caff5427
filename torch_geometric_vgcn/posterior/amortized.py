import torch
from torch import Tensor
from torch.nn import Module, Parameter
from torch_geometric.nn import MessagePassing
from torch_geometric.nn.inits import reset

from torch_geometric_vgcn.posterior.base import Posterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.utils import (
    Instance,
    check_features,
    check_floats,
    check_kind,
    checked,
    explained,
)


class AmortizedPosterior(Posterior):
    r"""Logits from the agreement of two nodes' embeddings

    .. math::
        \theta_{ij} = \theta^o_{ij} + \gamma \cos(\mathbf{z}_i, \mathbf{z}_j)
        + s, \quad \mathbf{Z} = \mathrm{encoder}(\mathbf{X}),

    so that what is learned near the labels carries over to pairs far from
    them, and to nodes that weren't there in training. It starts at
    :math:`\gamma = s = 0`, the prior.

    Args:
        encoder (torch.nn.Module): Maps the features, and the prior's observed
            graph where the encoder passes messages, to embeddings of shape
            :obj:`[N, d]`. It may be pretrained.
    """

    scale: Parameter
    shift: Parameter

    @checked(encoder=Instance(Module))
    def __init__(self, encoder: Module) -> None:
        super().__init__()
        self.encoder = encoder
        self.needs_graph = any(
            isinstance(module, MessagePassing) for module in encoder.modules()
        )

    def reset_parameters(self, prior: Prior) -> None:
        reset(self.encoder)
        self.initialize_from(prior)

    def initialize_from(self, prior: Prior) -> None:
        check_kind(prior, Prior, 'prior')
        self.scale = Parameter(prior.logits.new_zeros(()))
        self.shift = Parameter(prior.logits.new_zeros(()))

    def forward(self, prior: Prior, x: Tensor | None = None) -> Tensor:
        self.check_prior(prior)
        if x is None:
            raise ValueError(
                "AmortizedPosterior needs the node features 'x', got None"
            )
        check_features(x, prior.num_nodes, values=False)
        if self.needs_graph and prior.edge_index is None:
            raise ValueError(
                "'encoder' passes messages, so the prior must be made from "
                'an observed graph, got one without'
            )
        args = (prior.edge_index,) if self.needs_graph else ()
        with explained(self.encoder, x, 'encoder'):
            z = self.encoder(x, *args)
        check_floats(z, (prior.num_nodes, 'd'), 'encoder(x)')
        z = torch.nn.functional.normalize(z, dim=-1)
        return prior.logits + self.scale * prior.pairs.dot(z, z) + self.shift
