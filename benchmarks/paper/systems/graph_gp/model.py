import torch
from gpytorch.distributions import MultivariateNormal
from gpytorch.means import ZeroMean
from gpytorch.mlls import VariationalELBO
from gpytorch.models import ApproximateGP
from gpytorch.variational import (
    CholeskyVariationalDistribution,
    IndependentMultitaskVariationalStrategy,
    VariationalStrategy,
)
from torch import Size, Tensor

from systems.graph_gp.kernel import GraphPolynomial
from systems.graph_gp.likelihood import RobustMax


class GraphGP(ApproximateGP):
    r"""One Gaussian process per class, with the same kernel, and a Gaussian
    posterior of their values at some nodes, which determine those at all
    other nodes.

    Args:
        kernel (GraphPolynomial): The kernel.
        likelihood (RobustMax): The likelihood.
        nodes (Tensor): These nodes: those with a label.
    """

    def __init__(
        self, kernel: GraphPolynomial, likelihood: RobustMax, nodes: Tensor
    ) -> None:
        num_classes, num_labels = likelihood.num_classes, nodes.numel()
        # No batch dimension: the classes share one Cholesky factor.
        strategy = VariationalStrategy(
            self,
            nodes.unsqueeze(-1).float(),
            CholeskyVariationalDistribution(num_labels, Size([num_classes])),
            learn_inducing_locations=False,
        )
        super().__init__(
            IndependentMultitaskVariationalStrategy(strategy, num_classes)
        )
        self.mean = ZeroMean()
        self.kernel = kernel
        self.likelihood = likelihood
        self.register_buffer('nodes', nodes.unsqueeze(-1).float())

    def forward(self, x: Tensor) -> MultivariateNormal:
        return MultivariateNormal(self.mean(x), self.kernel(x))

    def bound(self, y: Tensor) -> Tensor:
        r"""The evidence lower bound of the labels :obj:`y`, per label."""
        self.train()
        elbo = VariationalELBO(self.likelihood, self, y.numel())
        return elbo(self(self.nodes), y)

    @torch.no_grad()
    def predict(self) -> Tensor:
        r"""The class probabilities of all nodes, :obj:`[N, C]`."""
        self.eval()
        everyone = torch.arange(self.kernel.num_nodes).to(self.nodes)
        return self.likelihood(self(everyone.unsqueeze(-1))).probs
