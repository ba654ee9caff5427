r"""Data sets that can be had offline too."""

from torch_geometric_vgcn.datasets.planetoid import planetoid

__all__ = ['planetoid']
