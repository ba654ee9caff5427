from typing import Any

from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.message_passing import ConvCall, attributes_of
from torch_geometric_vgcn.utils.constraints import Instance, checked


class SharedGraph(Module):
    r"""A further conv of a model, on the graphs that a learner before it drew:
    one posterior, one sample per step, one divergence for both.

    Args:
        conv (torch.nn.Module): The PyG conv or model.
        learner (VariationalGraphLearner): The learner whose graphs to use. It
            must be called first. It isn't a part of this module: it belongs
            into the model around both.
    """

    @checked(conv=Instance(Module), learner=Instance(VariationalGraphLearner))
    def __init__(self, conv: Module, learner: VariationalGraphLearner) -> None:
        super().__init__()
        self.conv = conv
        # In a tuple, as it isn't a part of this module:
        self._learner = (learner,)
        self.register_load_state_dict_pre_hook(_drop_learner)
        self.route = ConvCall(conv, learner.sampler)

    @property
    def learner(self) -> VariationalGraphLearner:
        r"""The learner whose graphs are used."""
        return self._learner[0]

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
        out = self.route(self.conv, x, sample, attributes)
        self.learner._drawn.remember(out, sample)
        return out

    def extra_repr(self) -> str:
        return f'route={self.route}'


def _drop_learner(
    module: Module, state: dict[str, Any], prefix: str, *_: Any
) -> None:
    r"""Takes the learner out of states that were saved when it was a part."""
    for name in [n for n in state if n.startswith(f'{prefix}learner.')]:
        del state[name]
