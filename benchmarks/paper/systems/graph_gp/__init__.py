r"""The parts of the graph Gaussian process, on GPyTorch."""

try:
    import gpytorch  # noqa: F401
except ImportError as error:
    raise ImportError(
        "GGP needs gpytorch: pip install 'torch_geometric_vgcn[benchmark]'"
    ) from error

from systems.graph_gp.kernel import GraphPolynomial
from systems.graph_gp.likelihood import RobustMax
from systems.graph_gp.model import GraphGP

__all__ = ['GraphPolynomial', 'RobustMax', 'GraphGP']
