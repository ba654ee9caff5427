"""A likelihood of one's own works wherever the others do."""

import pytest
import torch
from torch_geometric.datasets import KarateClub
from torch_geometric.nn import GCN
from torch_geometric.utils import degree

from torch_geometric_vgcn import (
    SmoothedPrior,
    VariationalGraphLearner,
    calibrate,
    fit,
)
from torch_geometric_vgcn.objective import Likelihood
from torch_geometric_vgcn.utils import selected_nodes


class Poisson(Likelihood):
    r"""Counts, with one log-rate per node."""

    score = 'log_prob'

    def check_labels(
        self,
        y,
        mask,
        num_nodes,
        name='mask',
        allow_none=False,
        num_outputs=None,
    ):
        nodes = selected_nodes(mask, num_nodes, name, allow_none)
        if not (y[nodes] >= 0).all():
            raise ValueError("'y' must hold counts")

    def log_prob(self, out, y):
        rate = out.squeeze(-1).exp()
        return torch.distributions.Poisson(rate).log_prob(y)

    def mean(self, out):
        return out.exp()

    def calibrated(self, mean):
        return mean.squeeze(-1)

    def evaluate(self, prediction, y, mask):
        log_prob = torch.distributions.Poisson(prediction).log_prob(y)[mask]
        return float(log_prob.mean()), -float(log_prob.mean())

    def tempered(self, prediction, y, mask):
        return lambda temperature: -abs(temperature - 2)


def test_a_likelihood_of_ones_own():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask
    data.y = degree(data.edge_index[0], 34)
    prior = SmoothedPrior(data.edge_index, 34)
    learner = VariationalGraphLearner(
        GCN(34, 8, 2, 1), prior, likelihood=Poisson()
    )
    out = learner(data.x, num_samples=3)
    bound = learner.objective(out, data.y, data.train_mask)
    assert bound.loss.requires_grad
    result = fit(learner, data, epochs=20, lr=0.05, progress=False)
    assert result.score == 'log_prob'
    scores = [row['val_log_prob'] for row in result.history]
    assert result.val_score == max(scores) > scores[0]
    noise = learner.noise(5)
    learner.eval()
    expected = learner(data.x, noise=noise).exp().mean(dim=0).squeeze(-1)
    torch.testing.assert_close(learner.predict(data.x, noise=noise), expected)
    # Between the best temperature of the labels, 2, and that of the prior, 1:
    assert 1 < calibrate(learner, data) < 2.01
    data.y = data.y - 5
    with pytest.raises(ValueError, match="'y' must hold counts"):
        fit(learner, data, epochs=1, progress=False)
