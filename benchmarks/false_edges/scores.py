r"""What tells right edges from false ones: for each pair a score."""

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn import GAE, GCN

from torch_geometric_vgcn import VGCN, FixedGraph, fit
from torch_geometric_vgcn.recipe import (
    FixedMember,
    no_graph,
    propagated_mlp,
)

EPOCHS = 200


def found(data: Data, seed: int) -> tuple[Tensor, Tensor]:
    r"""The posterior of :meth:`VGCN.edges`, and the prior. That of given edges
    depends on the member without a graph alone, so no other is trained.
    """
    member = FixedMember('no graph', no_graph, network=propagated_mlp)
    options = {'effort': 'quick', 'seed': seed, 'progress': False}
    edges = VGCN(data, members=[member], **options).fit().edges()
    edges = edges.sort_values(['source', 'target'])
    prob = edges[['posterior', 'prior']].to_numpy()
    return torch.from_numpy(prob[:, 0].copy()), torch.tensor(prob[0, 1])


def two_hop_cosine(data: Data, seed: int) -> np.ndarray:
    adj = _adjacency(data) + sp.eye(data.num_nodes)
    mean = sp.diags(1 / adj.sum(axis=1).A1) @ adj
    x = mean @ (mean @ data.x.numpy())
    x /= np.linalg.norm(x, axis=1, keepdims=True).clip(1e-12)
    i, j = data.pairs.numpy()
    return np.einsum('pf,pf->p', x[i], x[j])


def jaccard(data: Data, seed: int) -> np.ndarray:
    adj = _adjacency(data)
    i, j = data.pairs.numpy()
    count = adj.sum(axis=1).A1
    both = adj[i].multiply(adj[j]).sum(axis=1).A1
    return both / (count[i] + count[j] - both)


def _adjacency(data: Data) -> sp.csr_matrix:
    one = np.ones(data.num_edges)
    size = data.num_nodes
    return sp.csr_matrix((one, data.edge_index.numpy()), (size, size))


def gae(data: Data, seed: int) -> Tensor:
    r"""PyG's example: two layers of 32 and 16 units, 200 epochs."""
    seed_everything(seed)
    model = GAE(GCN(data.num_features, 32, 2, 16))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        z = model.encode(data.x, data.edge_index)
        model.recon_loss(z, data.edge_index).backward()
        optimizer.step()
    with torch.no_grad():
        z = model.encode(data.x, data.edge_index)
        return model.decode(z, data.pairs)


def gcn(data: Data, seed: int) -> Tensor:
    r"""How probable it is that a plain GCN's classes agree."""
    seed_everything(seed)
    classes = int(data.y.max()) + 1
    net = GCN(data.num_features, 16, 2, classes, dropout=0.5)
    model = FixedGraph(net, data.edge_index)
    fit(model, data, epochs=EPOCHS, lr=0.01, weight_decay=5e-4, progress=False)
    prob = model.predict(data.x).detach()
    i, j = data.pairs
    return (prob[i] * prob[j]).sum(dim=-1)


OTHERS = {
    'two-hop cosine': two_hop_cosine,
    'Jaccard': jaccard,
    'GAE': gae,
    "GCN's p·p": gcn,
}


def calibration_error(prob: Tensor, right: Tensor, bins: int = 15) -> float:
    r"""The ECE with bins of equal width."""
    place = (prob * bins).long().clamp(max=bins - 1)
    gap = torch.bincount(place, prob - right.to(prob), minlength=bins)
    return float(gap.abs().sum() / prob.numel())
