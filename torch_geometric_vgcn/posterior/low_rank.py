import numpy as np
import torch
from scipy.sparse import coo_array
from scipy.sparse.linalg import eigsh
from torch import Tensor
from torch.nn import Parameter

from torch_geometric_vgcn.posterior.base import Posterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.prior.base import logit
from torch_geometric_vgcn.utils import Interval, check_kind, checked


class LowRankPosterior(Posterior):
    r"""The paper's low-rank (smooth) parametrisation

    .. math::
        \theta_{ij} = \tfrac{1}{2} (\mathbf{z}_i^{\top} \tilde{\mathbf{z}}_j +
        \mathbf{z}_j^{\top} \tilde{\mathbf{z}}_i) + b_i + b_j + s,

    with :math:`2 N d_z` instead of :math:`N^2/2` parameters, symmetric in
    :math:`i` and :math:`j`. It starts from the truncated singular value
    decomposition of the prior's logits, shifted by those of the background.

    Args:
        rank (int, optional): The size :math:`d_z` of the embeddings.
            (default: :obj:`100`)
    """

    z: Parameter
    z_tilde: Parameter
    bias: Parameter
    shift: Parameter

    @checked(rank=Interval(int, 1, 2**20))
    def __init__(self, rank: int = 100) -> None:
        super().__init__()
        self.rank = rank

    def initialize_from(self, prior: Prior) -> None:
        check_kind(prior, Prior, 'prior')
        logits, n = prior.logits, prior.pairs.whole.num_nodes
        shift = logit(prior.background)
        value, vector = _leading_eigen(prior, shift, self.rank)
        # Directions of no weight start at z * 0, so that they can be learned:
        z = 0.1 * np.random.default_rng(0).standard_normal((n, self.rank))
        z[:, : value.size] = vector * np.abs(value) ** 0.5
        sign = np.zeros(self.rank)
        sign[: value.size] = np.sign(value)
        self.z = Parameter(logits.new_tensor(z))
        self.z_tilde = Parameter(logits.new_tensor(z * sign))
        self.bias = Parameter(logits.new_zeros(n))
        self.shift = Parameter(logits.new_tensor(shift))

    def forward(self, prior: Prior, x: Tensor | None = None) -> Tensor:
        self.check_prior(prior)
        z: Tensor = self.z
        z_tilde: Tensor = self.z_tilde
        bias: Tensor = self.bias
        node_id = prior.pairs.node_id
        if node_id is not None:
            z, z_tilde, bias = z[node_id], z_tilde[node_id], bias[node_id]
        # Products with a constant column add both nodes' biases:
        bias = 2 * bias.unsqueeze(-1)
        one = torch.ones_like(bias)
        left = torch.cat([z, z_tilde, bias, one], dim=-1)
        right = torch.cat([z_tilde, z, one, bias], dim=-1)
        return prior.pairs.dot(left, right) / 2 + self.shift

    def check_prior(self, prior: Prior) -> None:
        super().check_prior(prior)
        own, other = self.z.size(0), prior.pairs.whole.num_nodes
        if own != other:
            raise ValueError(
                f'LowRankPosterior has an embedding for each of {own} nodes '
                f'and no others, got a prior of {other} nodes: use '
                'AmortizedPosterior for unseen nodes'
            )

    def extra_repr(self) -> str:
        return f'rank={self.rank}'


def _leading_eigen(
    prior: Prior, shift: float, rank: int
) -> tuple[np.ndarray, np.ndarray]:
    r"""The eigenvalues of largest magnitude of the symmetric matrix of shifted
    logits: up to signs its singular values.
    """
    pairs = prior.pairs
    index = (
        pairs.index if pairs.node_id is None else pairs.node_id[pairs.index]
    )
    row, col = index.numpy(force=True)
    value = prior.logits.double().numpy(force=True) - shift
    keep = np.abs(value) > 1e-6
    row, col, value = row[keep], col[keep], value[keep]
    n = pairs.whole.num_nodes
    upper = coo_array((value, (row, col)), shape=(n, n)).tocsr()
    matrix = upper + upper.T
    if value.size == 0:
        return np.empty(0), np.empty((n, 0))
    if rank < n - 1:
        # A fixed start makes the result the same each time:
        start = np.random.default_rng(0).standard_normal(n)
        return eigsh(matrix, k=rank, which='LM', v0=start)
    # The diagonal is free, and with the right one a rank less will do:
    eigen, vector = np.linalg.eigh(matrix.toarray())
    least = np.abs(eigen).argmin()
    keep = np.arange(n) != least
    return eigen[keep] - eigen[least], vector[:, keep]
