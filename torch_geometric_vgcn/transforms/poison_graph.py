import torch
from torch import Tensor
from torch_geometric.utils import to_dense_adj

from torch_geometric_vgcn.transforms.perturbation import Flips, Perturbation
from torch_geometric_vgcn.utils import check_count


class PoisonGraph(Perturbation):
    r"""The attack of the `"Adversarial Attacks on Node Embeddings via Graph
    Poisoning" <https://arxiv.org/abs/1809.01093>`_ paper, which needs neither
    labels nor features: it adds or removes the edges that most hurt a DeepWalk
    embedding of the graph.

    The part of DeepWalk's matrix that an embedding of :obj:`dim` dimensions
    can't hold is, up to a constant, bounded by

    .. math::
        \mathcal{L} = \sqrt{\sum_{y} \Big( \sum_{r=1}^{T} \lambda_y^r
        \Big)^2}, \qquad \mathbf{A} \mathbf{u}_y = \lambda_y \mathbf{D}
        \mathbf{u}_y, \quad \mathbf{u}_y^{\top} \mathbf{D} \mathbf{u}_y = 1,

    over all but the :obj:`dim` largest terms, with the window :math:`T`. To
    change the weight of one edge by :math:`\Delta` changes the eigenvalues, to
    first order, to

    .. math::
        \lambda_y + \Delta \big( 2 u_{yi} u_{yj} - \lambda_y (u_{yi}^2 +
        u_{yj}^2) \big),

    so the spectrum is computed once. The edges whose change gives the largest
    :math:`\mathcal{L}` are taken: to remove, of all but one of each node; to
    add, of random candidates. A node without edges counts as one with a
    self-loop, where a random walk stays.

    The time and memory of the spectrum grow like :math:`N^3` and :math:`N^2`.

    Args:
        add (int, optional): The number of edges to add. (default: :obj:`0`)
        remove (int, optional): The number of edges to remove.
            (default: :obj:`0`)
        seed (int, optional): The seed of the candidates. (default: :obj:`0`)
        candidates (int, optional): How many random pairs there are to choose
            from, for each edge to add. With :obj:`1` there is no choice, and
            the added edges are random: so were those of the poisoned graphs
            behind the VGCN paper, and to a GCN they do more harm than chosen
            ones, which gather at few nodes. (default: :obj:`1`)
        window (int, optional): The window :math:`T` of the random walks.
            (default: :obj:`5`)
        dim (int, optional): The size of the embedding. (default: :obj:`32`)
    """

    def __init__(
        self,
        add: int = 0,
        remove: int = 0,
        seed: int = 0,
        candidates: int = 1,
        window: int = 5,
        dim: int = 32,
    ) -> None:
        super().__init__(add, remove, seed, candidates)
        self.window = check_count(window, 'window', least=1)
        self.dim = check_count(dim, 'dim', least=1)

    def score(self, flips: Flips, generator: torch.Generator) -> Tensor:
        edges, num_nodes, pairs, change = flips
        if self.dim >= num_nodes:
            raise ValueError(
                f"'dim' must be below the number of nodes ({num_nodes}), "
                f'got {self.dim}'
            )
        value, vector = spectrum(edges, num_nodes)
        scores = []
        size = max(1, 2**22 // num_nodes)  # 32 MB per block
        for (i, j), delta in zip(
            pairs.split(size, dim=1), change.split(size), strict=True
        ):
            perturbed = perturb(value, vector[i], vector[j], delta[:, None])
            scores.append(embedding_loss(perturbed, self.window, self.dim))
        return torch.cat(scores)

    def __repr__(self) -> str:
        return (
            f'{type(self).__name__}(add={self.add}, remove={self.remove}, '
            f'seed={self.seed}, candidates={self.candidates}, '
            f'window={self.window}, dim={self.dim})'
        )


def spectrum(edges: Tensor, num_nodes: int) -> tuple[Tensor, Tensor]:
    r"""The solutions of :math:`\mathbf{A} \mathbf{u} = \lambda \mathbf{D}
    \mathbf{u}` with :math:`\mathbf{u}^{\top} \mathbf{D} \mathbf{u} = 1`: the
    eigenvalues :obj:`[N]`, and the vectors as columns :obj:`[N, N]`.
    """
    adj = to_dense_adj(edges, max_num_nodes=num_nodes)[0].double()
    adj = adj + adj.t()
    adj.diagonal()[adj.sum(dim=1) == 0] = 1
    # With v = D^(1/2) u it is an ordinary symmetric problem:
    scale = adj.sum(dim=1).rsqrt()
    value, vector = torch.linalg.eigh(scale[:, None] * adj * scale)
    return value, scale[:, None] * vector


def perturb(value: Tensor, u_i: Tensor, u_j: Tensor, delta: Tensor) -> Tensor:
    r"""The eigenvalues when the weight of the edge between :math:`i` and
    :math:`j` changes by :math:`\Delta`, to first order.
    """
    return value + delta * (
        2 * u_i * u_j - value * (u_i.square() + u_j.square())
    )


def embedding_loss(value: Tensor, window: int, dim: int) -> Tensor:
    r"""The bound :math:`\mathcal{L}`, from eigenvalues :obj:`[..., N]`."""
    total = value
    for _ in range(window - 1):
        total = (total + 1) * value  # Horner's rule
    square = total.square()
    kept = square.topk(dim, dim=-1).values.sum(dim=-1)
    return (square.sum(dim=-1) - kept).clamp(min=0).sqrt()
