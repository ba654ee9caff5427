r"""The paper's dense model in straightforward PyTorch and PyG:
torch.distributions and DenseGCNConv. The reference for our own model.
"""

import math

import torch
from torch import Tensor
from torch.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
from torch_geometric.nn import DenseGCNConv


class Straightforward(torch.nn.Module):
    def __init__(
        self, num_features: int, num_classes: int, edge_index: Tensor, n: int
    ) -> None:
        super().__init__()
        self.conv1 = DenseGCNConv(num_features, 16)
        self.conv2 = DenseGCNConv(16, num_classes)
        row, col = torch.triu_indices(n, n, offset=1)
        observed = torch.zeros(n, n)
        observed[edge_index[0], edge_index[1]] = 1.0
        prior = 1e-5 + (0.25 - 1e-5) * observed[row, col]
        prior = prior.logit()
        self.register_buffer('prior', prior)
        self.register_buffer('index', torch.stack([row, col]))
        self.logits = torch.nn.Parameter(prior.clone())
        self.num_nodes = n
        self.tau = torch.tensor(0.5)
        self.dropout = 0.5

    def loss(
        self, x: Tensor, y: Tensor, num_samples: int, beta: float
    ) -> Tensor:
        q = LogitRelaxedBernoulli(self.tau, logits=self.logits)
        p = LogitRelaxedBernoulli(self.tau, logits=self.prior)
        sample = q.rsample((num_samples,))
        kl = (q.log_prob(sample) - p.log_prob(sample)).sum(dim=-1)
        log_prob = torch.stack(
            [self.classify(x, edges.sigmoid(), y) for edges in sample]
        )
        num_labeled = log_prob.size(1)
        weight = log_prob - beta / num_labeled * kl.unsqueeze(1)
        bound = weight.logsumexp(dim=0) - math.log(num_samples)
        return -bound.mean()

    def classify(self, x: Tensor, edges: Tensor, y: Tensor) -> Tensor:
        out = self(x, edges)
        labeled = y >= 0
        return out[labeled].gather(1, y[labeled].view(-1, 1)).view(-1)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        row, col = self.index
        upper = x.new_zeros(self.num_nodes, self.num_nodes)
        upper = upper.index_put((row, col), edges)
        adj = upper + upper.t()
        h = self.conv1(x, adj).relu()
        h = torch.nn.functional.dropout(h, self.dropout, self.training)
        return self.conv2(h, adj).squeeze(0).log_softmax(dim=-1)

    def predict(self, x: Tensor, num_samples: int) -> Tensor:
        q = LogitRelaxedBernoulli(self.tau, logits=self.logits)
        total = x.new_zeros(())
        for _ in range(num_samples):
            total = total + self(x, q.rsample().sigmoid()).exp()
        return total / num_samples
