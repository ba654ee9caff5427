import os
from abc import abstractmethod
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from tempfile import TemporaryDirectory
from typing import Any

import torch
from scipy.sparse import csr_matrix
from torch import Tensor
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.utils import to_scipy_sparse_matrix

from systems.base import BestEpoch, Outcome, System, num_classes


class Peer(System):
    r"""A defence against poisoned graphs from the `DeepRobust
    <https://github.com/DSE-MSU/DeepRobust>`_ package, which is not a
    dependency: :obj:`pip install deeprobust`. It chooses the epoch itself, by
    validation loss or accuracy, whichever improved last, so only the final
    predictions are evaluated.
    """

    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        try:
            # It prints on import and during training:
            with redirect_stdout(StringIO()):
                from deeprobust.graph import defense
        except ImportError as error:
            raise ImportError(
                f'{self.title} needs deeprobust: pip install deeprobust '
                f'({error})'
            ) from error
        seed_everything(seed)
        adj = to_scipy_sparse_matrix(data.edge_index, None, data.num_nodes)
        x = data.x.to_dense().numpy()
        masks = data.train_mask, data.val_mask
        nodes = [mask.nonzero().view(-1).numpy() for mask in masks]
        with redirect_stdout(StringIO()):
            log_prob = self.fit(
                defense,
                (x.shape[1], 16, num_classes(data)),
                (csr_matrix(x), csr_matrix(adj), data.y.numpy(), *nodes),
                **settings,
            )
        best = BestEpoch(data, patience=1)
        best.look(log_prob.detach().exp())
        return best.outcome

    @abstractmethod
    def fit(
        self, defense: Any, sizes: tuple, inputs: tuple, **settings: Any
    ) -> Tensor:
        r"""Trains, and returns the log-probabilities of the best epoch.

        Args:
            defense (module): DeepRobust's models.
            sizes (tuple): The numbers of features, hidden units and classes.
            inputs (tuple): The arguments of its models' :obj:`fit`: features,
                adjacency matrix, labels, training and validation nodes.
            **settings (optional): The settings of the grid.
        """


@contextmanager
def in_new_folder() -> Iterator[None]:
    r"""Makes a temporary folder the current one."""
    before = os.getcwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


class RobustGCN(Peer):
    r"""RGCN of the "Robust Graph Convolutional Networks Against Adversarial
    Attacks" paper (Zhu et al., KDD 2019) with 32 hidden units, by
    DeepRobust.
    """

    title = 'RGCN (DeepRobust)'

    def fit(self, defense: Any, sizes: tuple, inputs: tuple) -> Tensor:
        num_nodes = inputs[0].shape[0]
        model = defense.RGCN(num_nodes, sizes[0], 32, sizes[2])
        model.fit(*inputs, train_iters=200)
        return model.output


class RobustJaccard(Peer):
    r"""GCN-Jaccard of the `"Adversarial Examples on Graph Data: Deep Insights
    into Attack and Defense" <https://arxiv.org/abs/1903.01610>`_ paper, by
    DeepRobust. Without features no edge remains.
    """

    title = 'GCN-Jaccard (DeepRobust)'
    grid = {'threshold': [0.01, 0.02, 0.03, 0.04, 0.05]}
    quick = {'threshold': 0.01}

    def fit(
        self, defense: Any, sizes: tuple, inputs: tuple, threshold: float
    ) -> Tensor:
        model = defense.GCNJaccard(*sizes)
        model.fit(*inputs, threshold=threshold)
        return model.output


class RobustSVD(Peer):
    r"""GCN-SVD of the "All You Need Is Low (Rank): Defending Against
    Adversarial Attacks on Graphs" paper (Entezari et al., WSDM 2020), by
    DeepRobust.
    """

    title = 'GCN-SVD (DeepRobust)'
    grid = {'rank': [5, 10, 15, 50, 100, 200]}
    quick = {'rank': 50}

    def fit(
        self, defense: Any, sizes: tuple, inputs: tuple, rank: int
    ) -> Tensor:
        model = defense.GCNSVD(*sizes)
        model.fit(*inputs, k=rank)
        return model.output


class SimPGCN(Peer):
    r"""SimP-GCN of the `"Node Similarity Preserving Graph Convolutional
    Networks" <https://arxiv.org/abs/2011.09643>`_ paper: a GCN on the graph
    and on nearest neighbours by features, mixed for each node, which also
    predicts how similar the features of two nodes are.
    """

    title = 'SimPGCN'
    grid = {'lambda_': [0.1, 1.0, 5.0], 'gamma': [0.01, 0.1]}
    quick = {'lambda_': 5.0, 'gamma': 0.1}
    also = (
        {'lambda_': 1.0, 'gamma': 0.1},
        {'lambda_': 0.1, 'gamma': 0.1},
    )

    def fit(
        self,
        defense: Any,
        sizes: tuple,
        inputs: tuple,
        lambda_: float,
        gamma: float,
    ) -> Tensor:
        num_nodes, (num_features, _, classes) = inputs[0].shape[0], sizes
        model = defense.SimPGCN(
            num_nodes,
            num_features,
            128,
            classes,
            lambda_=lambda_,
            gamma=gamma,
            device='cpu',
        )
        # It keeps neighbours in the current folder, by the shape of the
        # features alone, and would take those of other features of that
        # shape.
        with in_new_folder():
            model.fit(*inputs, train_iters=200)
        return model.predict()


class ProGNN(Peer):
    r"""Pro-GNN of the `"Graph Structure Learning for Robust Graph Neural
    Networks" <https://arxiv.org/abs/2005.10203>`_ paper: a dense adjacency
    matrix, kept sparse, of low rank and smooth in the features. Each epoch
    needs a singular value decomposition of the N × N matrix.
    """

    title = 'Pro-GNN'
    grid = {'lambda_': [0.0, 1e-3], 'epochs': [400]}
    quick = {'lambda_': 0.0, 'epochs': 20}

    def fit(
        self,
        defense: Any,
        sizes: tuple,
        inputs: tuple,
        lambda_: float,
        epochs: int,
    ) -> Tensor:
        x, adj, y, *nodes = inputs
        x, adj = (torch.from_numpy(m.toarray()).float() for m in (x, adj))
        # The defaults of the authors' code:
        options = Namespace(
            lr=0.01, weight_decay=5e-4, epochs=epochs, only_gcn=False,
            inner_steps=2, outer_steps=1, lr_adj=0.01, symmetric=False,
            alpha=5e-4, beta=1.5, gamma=1.0, lambda_=lambda_, phi=0.0,
            debug=False,
        )  # fmt: skip
        network = defense.GCN(*sizes, device='cpu')
        model = defense.ProGNN(network, options, 'cpu')
        model.fit(x, adj, torch.from_numpy(y), *nodes)
        network.eval()
        return network(x, model.best_graph)
