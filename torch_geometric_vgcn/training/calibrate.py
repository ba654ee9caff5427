from torch_geometric.data import Data

from torch_geometric_vgcn.analysis import best_temperature
from torch_geometric_vgcn.checks import (
    check_attributes,
    check_kind,
    check_labels,
    count_nodes,
)
from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner


def calibrate(
    learner: VariationalGraphLearner | FixedGraph,
    data: Data,
    *,
    num_samples: int = 16,
) -> float:
    r"""Lets predictions be as confident as they are right, by temperature
    scaling on the validation nodes: from then on
    :meth:`VariationalGraphLearner.predict` gives

    .. math::
        p'_{nc} \propto p_{nc}^{1/T}.

    The predicted classes stay the same. The temperature is part of the
    learner's state; :func:`fit` and :meth:`reset_parameters` set it back to
    one.

    Args:
        learner (VariationalGraphLearner or FixedGraph): The trained learner.
        data (torch_geometric.data.Data): The data, with :obj:`x`, :obj:`y`
            and :obj:`val_mask`.
        num_samples (int, optional): The number of graphs to predict with: as
            many as later on. (default: :obj:`16`)

    Returns:
        The temperature :math:`T`: above one if the learner was too sure.
    """
    check_kind(learner, (VariationalGraphLearner, FixedGraph), 'learner')
    n = count_nodes(data)
    check_attributes(data, 'x', 'y', 'val_mask')
    check_labels(data.y, data.val_mask, n, 'data.val_mask')
    likelihood = learner.likelihood
    temperature = float(likelihood.temperature)
    try:
        likelihood.set_temperature(1.0)
        prob = learner.predict(data.x, num_samples=num_samples)
        temperature = best_temperature(prob, data.y, data.val_mask)
    finally:  # after an error as before
        likelihood.set_temperature(temperature)
    return temperature
