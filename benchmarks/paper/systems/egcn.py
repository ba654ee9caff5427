import copy

import torch
from torch.nn.functional import one_hot
from torch_geometric import seed_everything
from torch_geometric.data import Data

from systems.base import Outcome, System, num_classes, with_fast_features
from systems.bernoulli_graph import BernoulliGraph
from systems.gcn import gcn
from systems.mmsbm import AssortativeMMSBM
from torch_geometric_vgcn import FixedGraph, evaluate, fit


class EGCN(System):
    r"""The Bayesian GCN of the `"Bayesian Graph Convolutional Neural Networks
    for Semi-Supervised Classification" <https://arxiv.org/abs/1811.11103>`_
    paper, an ensemble over graphs and weights:

    .. math::
        p(\mathbf{Z} | \mathbf{X}, \mathbf{Y}, \mathbf{A}) \approx
        \frac{1}{G S} \sum_{g, s} p(\mathbf{Z} | \mathbf{W}_{g, s},
        \mathbf{A}_g, \mathbf{X}), \quad
        \mathbf{A}_g \sim p(\mathbf{A} | \hat{\boldsymbol{\pi}},
        \hat{\boldsymbol{\beta}}, \hat{\delta})

    A GCN on the observed graph gives the initial weights. The block model has
    a community for each class and starts from the GCN's predictions: nine
    tenths of a node's membership are in the predicted class, the rest is
    spread evenly. (The class probabilities themselves are too uniform for the
    model to find the communities.) For each graph sampled from the fitted
    block model a separate GCN is trained, whose weights are sampled by
    dropout.
    """

    title = 'EGCN'
    grid = {'lr': [0.01], 'weight_decay': [5e-3, 5e-4]}
    quick = {'lr': 0.01, 'weight_decay': 5e-4}

    def train(
        self,
        data: Data,
        seed: int,
        lr: float,
        weight_decay: float,
        epochs: int = 400,
        graph_epochs: int = 50,
        num_graphs: int = 10,
        num_samples: int = 5,
    ) -> Outcome:
        seed_everything(seed)
        generator = torch.Generator().manual_seed(seed)
        data = with_fast_features(data)
        options = {'lr': lr, 'weight_decay': weight_decay, 'progress': False}
        classes = num_classes(data)
        net = gcn(data)
        model = FixedGraph(net, data.edge_index)
        fit(model, data, epochs=epochs, **options)
        label = model.predict(data.x).argmax(dim=1)
        membership = 0.9 * one_hot(label, classes) + 0.1 / classes
        blocks = AssortativeMMSBM(membership, data.edge_index)
        blocks.fit(generator)
        prob = blocks.probabilities()
        graphs = BernoulliGraph(prob, data.num_nodes, generator)
        outs, history = [], []
        for _ in range(num_graphs):
            pairs = graphs.sample()
            edge_index = torch.cat([pairs, pairs.flip(0)], dim=1)
            model = FixedGraph(copy.deepcopy(net), edge_index)
            fit(model, data, epochs=graph_epochs, **options)
            model.train()  # for its dropout
            with torch.no_grad():
                outs += [model(data.x).softmax(-1) for _ in range(num_samples)]
            mean = torch.stack(outs).mean(dim=0)
            history.append(evaluate(mean, data.y, data.val_mask)[0])
        return Outcome(mean, history[-1], num_graphs - 1, history)
