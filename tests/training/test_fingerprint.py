import pytest
import torch
from torch_geometric.nn import GCN, GCNConv

from torch_geometric_vgcn import (
    FixedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.training.fingerprint import (
    as_text,
    constant_buffers,
    digest,
    module_fingerprint,
)

X = torch.tensor([[0.0, 1.0], [2.0, 0.0]])


@pytest.mark.parametrize(
    'convert',
    [
        torch.clone,
        torch.Tensor.double,
        torch.Tensor.bfloat16,
        torch.Tensor.long,
        torch.Tensor.bool,
        torch.Tensor.t,
        torch.Tensor.to_sparse,
        torch.Tensor.to_sparse_csr,
        torch.Tensor.to_sparse_csc,
    ],
)
def test_equal_tensors_have_equal_digests(convert):
    assert digest(convert(X)) == digest(convert(X.clone()))
    other = X.clone()
    other[1, 0] = 3.0 if convert is not torch.Tensor.bool else 0.0
    assert digest(convert(X)) != digest(convert(other))


@pytest.mark.parametrize(
    'value, text',
    [
        (True, 'True'),
        (0.5, '0.5'),
        ('mean', "'mean'"),
        ((1, None, 'a'), "[1, None, 'a']"),
        ({'p': 0.5}, "[['p', 0.5]]"),
        (torch.relu, 'torch.relu'),
        (GCNConv, 'torch_geometric.nn.conv.gcn_conv.GCNConv'),
        (torch.float32, 'torch.float32'),
        (None, None),
        (object(), None),
        ([object()], None),
        (X, None),
    ],
)
def test_plain_values_are_readable(value, text):
    found = as_text(value)
    assert found == text or (text == 'torch.relu' and found.endswith('relu'))


def test_what_training_changes_is_no_part_of_it(graph):
    learner = VariationalGraphLearner(
        GCN(6, 4, 2, 2, norm='batch_norm'), SmoothedPrior(graph, 6)
    )
    before = module_fingerprint(learner)
    optimizer = torch.optim.Adam(learner.parameters())
    y, mask = torch.tensor([0, 0, 0, 1, 1, 1]), torch.ones(6).bool()
    learner.objective(learner(torch.eye(6)), y, mask).loss.backward()
    optimizer.step()
    assert learner.conv.norms[0].module.num_batches_tracked == 1
    assert module_fingerprint(learner) == before


def test_prior_pairs_and_graph_are_constant(graph):
    prior = SmoothedPrior(graph, 6)
    constant = constant_buffers(VariationalGraphLearner(GCNConv(6, 2), prior))
    assert {'prior.logits', 'prior.edge_index', 'prior.pairs.index'} < constant
    model = FixedGraph(GCN(6, 4, 2, 2, norm='batch_norm'), graph)
    assert constant_buffers(model) == {'edge_index'}
    # Also where logits are saved:
    prior.register_buffer('logits', prior.logits)
    constant = constant_buffers(VariationalGraphLearner(GCNConv(6, 2), prior))
    assert 'prior.logits' in constant
