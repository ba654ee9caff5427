r"""Networks that make the most of sampled graphs."""

from torch_geometric_vgcn.models.propagated_mlp import PropagatedMLP

__all__ = ['PropagatedMLP']
