import torch
from sklearn.metrics import roc_auc_score
from torch_geometric import seed_everything

from torch_geometric_vgcn import fitted_prior
from torch_geometric_vgcn.transforms import (
    HalfValidation,
    RandomPerturbation,
    UnitRows,
)


def test_it_trusts_a_right_graph_and_doubts_a_poisoned_one(cora):
    right = UnitRows()(HalfValidation(0)(cora.clone()))
    wrong = RandomPerturbation(add=5000)(right.clone())
    seed_everything(0)
    trusted = fitted_prior(right, caution=0.0, epochs=40).probs
    seed_everything(0)
    prior = fitted_prior(wrong, caution=0.0, epochs=40)
    false = prior.pairs.contains(wrong.added_pairs)
    assert trusted.mean() > 0.7
    # About half of the edges are right:
    assert 0.35 < prior.probs.mean() < 0.6
    assert roc_auc_score(~false, prior.probs) > 0.82


def test_the_same_seed_gives_the_same_prior(cora):
    data = UnitRows()(HalfValidation(0)(cora.clone()))
    logits = []
    for _ in range(2):
        seed_everything(3)
        logits.append(fitted_prior(data, epochs=20).logits)
    assert torch.equal(*logits)
