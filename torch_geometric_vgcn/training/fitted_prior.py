from collections.abc import Callable

from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.prior import (
    FittedPrior,
    SmoothedPrior,
    cosine_similarity,
    degree_product,
    resource_allocation,
)
from torch_geometric_vgcn.training.fit import fit
from torch_geometric_vgcn.utils import (
    check_attributes,
    check_features,
    check_labels,
    count_nodes,
    observed_edges,
)


def fitted_prior(
    data: Data,
    similarity: Callable[[Tensor, Pairs], Tensor] = cosine_similarity,
    homophily: float = 0.9,
    caution: float = 1.0,
    epochs: int = 100,
) -> FittedPrior:
    r"""The prior of an observed graph that may be right or wrong, without a
    setting to choose: :class:`~torch_geometric_vgcn.FittedPrior` with the
    similarity of features, of common neighbours and of degrees as evidence,
    and the class probabilities of a multilayer perceptron, which is trained
    on the features alone. It draws from the global random number generator.

    .. code-block:: python

        prior = fitted_prior(data)
        learner = VariationalGraphLearner(net, prior, ClassPosterior(6))

    Args:
        data (torch_geometric.data.Data): The data, with :obj:`x`,
            :obj:`edge_index`, :obj:`y`, :obj:`train_mask` and
            :obj:`val_mask`.
        similarity (Callable, optional): The similarity of features, a
            function of :obj:`x` and the pairs.
            (default: :func:`~torch_geometric_vgcn.prior.cosine_similarity`)
        homophily (float, optional): The share of right edges that connect
            nodes of the same class. (default: :obj:`0.9`)
        caution (float, optional): How many logits below its estimate an edge
            starts, as a wrong edge does more harm than a missing right one:
            0 for calibrated probabilities, 3 if somebody may have attacked
            nodes whose label is not known. (default: :obj:`1.0`)
        epochs (int, optional): The maximum number of epochs of the
            perceptron. (default: :obj:`100`)
    """
    num_nodes = count_nodes(data)
    names = ('x', 'edge_index', 'y', 'train_mask', 'val_mask')
    check_attributes(data, *names)
    check_features(data.x, num_nodes, 'data.x')
    check_labels(data.y, data.train_mask, num_nodes, 'data.train_mask')
    edge_index = observed_edges(data)
    assert edge_index is not None
    prior = SmoothedPrior(edge_index, num_nodes)
    evidence = [
        similarity(data.x, prior.pairs),
        resource_allocation(edge_index, prior.pairs),
        degree_product(edge_index, prior.pairs),
    ]
    # A graph without edges: each node is propagated to itself only.
    num_classes = int(data.y.max()) + 1
    perceptron = FixedGraph(
        PropagatedMLP(data.num_features, 64, num_classes, K=1),
        edge_index[:, :0],
    ).to(data.x.device)
    fit(perceptron, data, epochs=epochs, lr=0.02, progress=False)
    prob = perceptron.predict(data.x)
    masks = data.train_mask, data.val_mask
    return FittedPrior(
        prior, evidence, prob, data.y, *masks, homophily, caution
    )
