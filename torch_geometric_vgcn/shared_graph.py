from typing import Any

from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.checks import check_kind
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.message_passing import attributes_of, choose_route


class SharedGraph(Module):
    r"""A further conv of a model, on the graphs that a learner before it drew:
    one posterior, one sample per step, one divergence for both.

    Args:
        conv (torch.nn.Module): The PyG conv or model.
        learner (VariationalGraphLearner): The learner whose graphs to use. It
            must be called first.
    """

    def __init__(self, conv: Module, learner: VariationalGraphLearner) -> None:
        super().__init__()
        check_kind(learner, VariationalGraphLearner, 'learner')
        self.conv = conv
        self.learner = learner
        self.route = choose_route(conv, learner.sampler)

    def forward(
        self,
        x: Tensor,
        edge_index: Any = None,
        edge_attr: Tensor | None = None,
    ) -> Tensor:
        r"""Calls the conv on the graphs that the learner drew last.

        Args:
            x (Tensor): The node features, of shape :obj:`[N, F]`, or
                :obj:`[S, N, F]` for :math:`S` graphs.
            edge_index (Any, optional): The observed graph, where this stands
                in for a conv. (default: :obj:`None`)
            edge_attr (Tensor, optional): The attributes of its edges, instead
                of the prior's. (default: :obj:`None`)
        """
        sample = self.learner.sample
        if sample is None:
            raise RuntimeError(
                'no graph was sampled yet: call the learner before what '
                'shares its graph'
            )
        if edge_index is not None:
            self.learner.inputs.check_observed(edge_index, sample.prior)
        self.learner.inputs.check_features(x, sample.prior.num_nodes)
        attributes = attributes_of(sample.prior, edge_index, edge_attr)
        return self.route(self.conv, x, sample, attributes)

    def extra_repr(self) -> str:
        return f'route={self.route}'
