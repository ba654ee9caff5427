import torch
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfTransformer
from torch_geometric import seed_everything
from torch_geometric.data import Data

from benchmarks.paper.systems.base import (
    BestEpoch,
    Outcome,
    System,
    num_classes,
)


class GGP(System):
    r"""The graph Gaussian process of the `"Bayesian Semi-supervised Learning
    with Graph Gaussian Processes" <https://arxiv.org/abs/1809.04379>`_ paper:
    a Gaussian process on TF-IDF features with a polynomial kernel, averaged
    over each node and its neighbours, under a robust-max likelihood.

    The paper approximates the posterior by the process at inducing points
    among the features, the same number as there are labels; here it is
    approximated by the averages at the labelled nodes themselves, which loses
    nothing. As in the authors' code, the kernel has no scale, as the
    likelihood doesn't depend on it, and its offset starts at 5. Unlike there,
    the step is chosen by validation accuracy.
    """

    title = 'GGP'
    settings = ({'lr': 0.02},)

    def train(
        self,
        data: Data,
        seed: int,
        lr: float,
        looks: int = 100,
        patience: int = 10,
    ) -> Outcome:
        try:
            from benchmarks.paper.systems import graph_gp
        except ImportError as error:
            raise ImportError(
                'GGP needs gpytorch: pip install '
                "'torch_geometric_vgcn[benchmark]'"
            ) from error
        seed_everything(seed)
        nodes = data.train_mask.nonzero().view(-1)
        # Rows are rescaled to length one; before, they summed to one.
        x = csr_array(data.x.to_dense().double().numpy())
        x = csr_array(TfidfTransformer().fit_transform(x))
        kernel = graph_gp.GraphPolynomial(x, data.edge_index, nodes)
        kernel.offset = 5.0
        likelihood = graph_gp.RobustMax(num_classes(data))
        model = graph_gp.GraphGP(kernel, likelihood, nodes).float()
        optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        best = BestEpoch(data, patience)
        for _ in range(looks):
            # Prediction for all nodes costs about three steps:
            for _ in range(5):
                optimizer.zero_grad()
                loss = -model.bound(data.y[nodes])
                loss.backward()
                optimizer.step()
            if not best.look(model.predict()):
                break
        return best.outcome
