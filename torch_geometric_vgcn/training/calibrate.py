from torch_geometric.data import Data

from torch_geometric_vgcn.analysis import best_temperature
from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.utils import (
    check_attributes,
    check_kind,
    count_nodes,
)


def calibrate(
    learner: VariationalGraphLearner | FixedGraph,
    data: Data,
    *,
    num_samples: int = 16,
) -> float:
    r"""Makes predictions as confident as they are accurate, by temperature
    scaling on the validation nodes: from then on
    :meth:`VariationalGraphLearner.predict` gives

    .. math::
        p'_n(y) \propto p_n(y)^{1/T}.

    The predicted classes stay the same, as do the labels that are more likely
    than not (:class:`MultiLabel`) and the means (:class:`Gaussian`, whose
    variances are multiplied by :math:`T`). The temperature is part of the
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
    likelihood = learner.likelihood
    likelihood.check_labels(data.y, data.val_mask, n, 'data.val_mask')
    temperature = float(likelihood.temperature)
    try:
        likelihood.set_temperature(1.0)
        prediction = learner.predict(data.x, num_samples=num_samples)
        temperature = best_temperature(
            prediction, data.y, data.val_mask, likelihood
        )
    finally:  # after an error as before
        likelihood.set_temperature(temperature)
    return temperature
