r"""What was learned, as one page for a browser."""

from torch_geometric_vgcn.report.report import report

__all__ = ['report']
