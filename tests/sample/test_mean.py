import torch

from torch_geometric_vgcn import SmoothedPrior
from torch_geometric_vgcn.sample import PosteriorMean


def test_mean_has_no_noise_and_no_background(graph):
    prior = SmoothedPrior(graph, 6, rho1=0.7, rho0=0.3)
    sampler = PosteriorMean()
    sample = sampler(prior, prior.logits, sampler.noise(prior, 2))
    assert torch.allclose(sample.weight, torch.full_like(sample.weight, 0.7))
    edge_index, edge_weight = sample.edges(1)
    assert edge_index.size(1) == edge_weight.numel() == 2 * len(prior.pairs)
