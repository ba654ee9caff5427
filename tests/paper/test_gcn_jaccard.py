import pytest
import torch
from systems.gcn_jaccard import GCNJaccard, similar
from torch_geometric.data import Data


@pytest.mark.parametrize(
    'threshold, kept', [(0.01, [[0, 1], [1, 0]]), (0.6, [[], []])]
)
def test_edges_of_nodes_without_common_words_are_removed(threshold, kept):
    x = torch.tensor([[1.0, 1.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.0, 1.0]])
    index = torch.tensor([[0, 1, 1, 2, 0, 2], [1, 0, 2, 1, 2, 0]])
    data = Data(x=x, edge_index=index)
    # Of the two words of 0 and 1, one is common; 2 has none of them:
    assert similar(data, threshold).edge_index.tolist() == kept
    assert data.edge_index is index
    assert similar(data, 0.5).num_edges == 2  # not below the threshold


def test_false_edges_between_other_words_do_no_harm(communities):
    own = torch.nn.functional.one_hot(communities.truth).repeat(1, 3).float()
    communities.x = own
    other = communities.truth[:, None] != communities.truth
    communities.edge_index = other.nonzero().t()  # false edges alone
    settings = {**GCNJaccard.quick, 'epochs': 30}
    outcome = GCNJaccard().train(communities, seed=0, **settings)
    assert (outcome.prob.argmax(-1) == communities.truth).all()
