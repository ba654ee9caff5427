r"""The command line: :obj:`python -m torch_geometric_vgcn`."""
