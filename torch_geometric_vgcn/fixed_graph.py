from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.utils import is_torch_sparse_tensor

from torch_geometric_vgcn.message_passing.checks import (
    check_conv,
    check_output,
)
from torch_geometric_vgcn.message_passing.shallow_copy import evaluated
from torch_geometric_vgcn.objective import (
    ELBO,
    BernoulliKL,
    Bound,
    Categorical,
    Likelihood,
    Objective,
)
from torch_geometric_vgcn.utils import (
    Inputs,
    as_stack,
    check_count,
    check_edge_shape,
    check_kind,
    explained,
)
from torch_geometric_vgcn.utils.constraints import Instance, checked


class FixedGraph(Module):
    r"""A PyG conv or model on a graph that is taken as it is: the baseline to
    compare :class:`VariationalGraphLearner` with, in the same calls.

    Args:
        conv (torch.nn.Module): The PyG conv or model.
        edge_index (Tensor): The graph, of shape :obj:`[2, E]`, or as a sparse
            adjacency matrix for convs that take one.
        likelihood (Likelihood, optional): The likelihood of the labels.
            (default: :obj:`Categorical()`)
        objective (Objective, optional): What is maximised: as there is
            nothing to learn of the graph, without its divergence.
            (default: the log-likelihood of the labels)
    """

    edge_index: Tensor

    @checked(
        conv=Instance(Module),
        likelihood=Instance(Likelihood),
        objective=Instance(Objective),
    )
    def __init__(
        self,
        conv: Module,
        edge_index: Tensor,
        likelihood: Likelihood | None = None,
        objective: Objective | None = None,
    ) -> None:
        super().__init__()
        check_conv(conv)
        if likelihood is None:
            likelihood = Categorical()
        if objective is None:
            objective = ELBO(BernoulliKL())
        self.conv = conv
        self.likelihood = likelihood
        self.criterion = objective
        self._num_nodes = _least_num_nodes(edge_index)
        self.inputs = Inputs()
        self.register_buffer('edge_index', edge_index, persistent=False)

    def forward(self, x: Tensor, *, num_samples: int = 1) -> Tensor:
        r"""Calls the conv on the graph.

        Args:
            x (Tensor): The node features, of shape :obj:`[N, F]`.
            num_samples (int, optional): As for a learner, the number of calls
                in training mode, which differ by dropout only: outputs of
                several have shape :obj:`[S, N, C]`. In evaluation mode there
                is one. (default: :obj:`1`)
        """
        check_count(num_samples, 'num_samples', least=1)
        check_kind(x, Tensor, 'x')
        if x.dim() < 2 or x.size(-2) < self._num_nodes:
            raise ValueError(
                f"'x' must have one row for each of the {self._num_nodes} or "
                f"more nodes in 'edge_index', got shape {list(x.shape)}"
            )
        outs = []
        for _ in range(num_samples if self.training else 1):
            with explained(self.conv, x, given=()):
                out = self.conv(x, self.edge_index)
            outs.append(check_output(self.conv, out))
        return torch.stack(outs) if len(outs) > 1 else outs[0]

    def objective(self, out: Tensor, y: Tensor, mask: Tensor) -> Bound:
        r"""The bound for an output, with no divergence to subtract.

        Args:
            out (Tensor): The output, of shape :obj:`[N, C]`, or
                :obj:`[S, N, C]` of several passes.
            y (Tensor): The labels, as the likelihood expects them.
            mask (Tensor): Which nodes are labelled, as a mask or as indices.
        """
        out = as_stack(out)
        n, c = out.shape[1:]
        self.inputs.check_labels(self.likelihood.check_labels, y, mask, n, c)
        return self.criterion.of_nodes(self.likelihood, out, y, mask, None)

    @torch.no_grad()
    def predict(self, x: Tensor, num_samples: int = 16) -> Any:
        r"""The prediction of the likelihood in evaluation mode: for
        :class:`Categorical` the class probabilities, of shape :obj:`[N, C]`.
        Nothing is changed: several threads can predict at once.

        Args:
            x (Tensor): The node features, of shape :obj:`[N, F]`.
            num_samples (int, optional): As for a learner; whatever it is,
                there is one graph. (default: :obj:`16`)
        """
        check_count(num_samples, 'num_samples', least=1)
        mean = self.likelihood.mean(evaluated(self)(x))
        return self.likelihood.calibrated(mean)


def _least_num_nodes(edge_index: Tensor) -> int:
    r"""The number of nodes that a graph has at least."""
    check_kind(edge_index, Tensor, 'edge_index')
    if is_torch_sparse_tensor(edge_index):
        return edge_index.size(0)
    check_edge_shape(edge_index.shape)
    if edge_index.dtype != torch.int64:
        raise TypeError(
            f"'edge_index' must hold int64 node ids, got {edge_index.dtype}"
        )
    if edge_index.numel() == 0:
        return 0
    low, high = int(edge_index.min()), int(edge_index.max())
    if low < 0:
        raise ValueError(
            f"'edge_index' must hold non-negative node ids, got {low}"
        )
    return high + 1
