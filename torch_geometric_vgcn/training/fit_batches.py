from collections.abc import Iterable
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.loader import ClusterLoader

from torch_geometric_vgcn.kernels.index import checksum
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.loader import PairWeight
from torch_geometric_vgcn.objective import Bound
from torch_geometric_vgcn.pairs import ClusterPairs
from torch_geometric_vgcn.sample import Noise
from torch_geometric_vgcn.training.ranks import Ranks
from torch_geometric_vgcn.training.run import Fit, Run, check_finite


def fit_batches(
    learner: VariationalGraphLearner,
    data: Data,
    loader: ClusterLoader,
    *,
    epochs: int = 200,
    lr: float = 0.01,
    logit_lr: float = 0.01,
    weight_decay: float = 5e-4,
    num_samples: int = 3,
    patience: int = 50,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 5,
    progress: bool = True,
) -> Fit:
    r"""Trains a learner as :func:`fit` does, in batches of clusters: a step
    for each batch, with the loss

    .. math::
        -\frac{B}{|\mathcal{Y}^o|} \left[ \sum_{n \in b} \log p(y_n \mid
        \mathbf{X}_b, \mathbf{A}_b) - \beta \sum_{i,j \in b} w_{ij}\,
        \mathrm{KL}_{ij} \right]

    of batch :math:`b` out of :math:`B`, and the weights :math:`w` of
    :class:`~torch_geometric_vgcn.loader.PairWeight`. Over an epoch the bounds
    add up to that of all the data: exactly for
    :class:`~torch_geometric_vgcn.pairs.ClusterPairs`, and else but for the
    edges that are missing between batches.

    With :class:`FreePosterior(sparse=True)` a step costs what its batch
    costs, and leaves all other logits and their moments as they are; with
    other posteriors Adam moves them on.

    **Several processes** (:obj:`torchrun`, after
    :obj:`torch.distributed.init_process_group('gloo')`): each has a
    :obj:`loader` of its own clusters, by
    :obj:`sampler=SubsetRandomSampler(range(rank, num_parts, world_size))`,
    and trains their logits; of the gradients of the network all take the mean
    (:class:`~torch.nn.parallel.DistributedDataParallel`). After each epoch all
    know the whole posterior, the first process validates, and it writes the
    checkpoint.

    The same seed gives the same result, also when the run goes on from its
    checkpoint, as long as :obj:`loader` has no generator of its own.

    Args:
        learner (VariationalGraphLearner): What to train.
        data (torch_geometric.data.Data): The whole data, with :obj:`x`,
            :obj:`y`, :obj:`train_mask` and :obj:`val_mask`.
        loader (torch_geometric.loader.ClusterLoader): The batches, over
            :class:`~torch_geometric_vgcn.loader.ClusterData` of :obj:`data`.
        epochs (int, optional): The number of epochs at most.
            (default: :obj:`200`)
        lr (float, optional): The learning rate of the network's weights.
            (default: :obj:`0.01`)
        logit_lr (float, optional): The learning rate of the posterior.
            (default: :obj:`0.01`)
        weight_decay (float, optional): The L2 penalty on the network's
            weights. (default: :obj:`5e-4`)
        num_samples (int, optional): The number of graphs a step, in training
            as in validation. (default: :obj:`3`)
        patience (int, optional): After how many epochs without a better one
            to stop. (default: :obj:`50`)
        checkpoint (str or Path, optional): A file to save the run in, and to
            go on from if it's there. (default: :obj:`None`)
        checkpoint_every (int, optional): After how many epochs to save.
            (default: :obj:`5`)
        progress (bool, optional): Whether to show a progress bar.
            (default: :obj:`True`)
    """
    weight = PairWeight(loader)
    n = learner.prior.num_nodes
    if not n == data.num_nodes == weight.cluster.numel():
        raise ValueError(
            "'learner', 'data' and 'loader' must be of the same nodes, got "
            f'{n}, {data.num_nodes} and {weight.cluster.numel()}'
        )
    node = torch.arange(n, device=weight.cluster.device)
    settings = {
        'epochs': epochs,
        'lr': lr,
        'logit_lr': logit_lr,
        'weight_decay': weight_decay,
        'num_samples': num_samples,
        'patience': patience,
        'batch_size': loader.batch_size or 0,
        'partition': abs(checksum(weight.cluster * n + node)) + 1,
    }
    ranks = Ranks.of_group()
    run = Run(learner, data, settings, ranks)
    num_labeled = int(data.train_mask.sum())
    model: Module = learner
    if ranks.world > 1:
        model = _distributed(learner, list(run.logits.parameters))
    num_batches = _num_batches(loader, ranks)

    def train_epoch(epoch: int) -> Bound:
        total = torch.zeros(3, dtype=torch.double, device=run.device)
        for batch in loader:
            run.zero_grad()
            prior = learner.prior.subset(batch.n_id)
            out = model(batch.x, num_samples=num_samples, prior=prior)
            train = batch.train_mask.nonzero().view(-1)
            bound = learner.objective(
                out, batch.y, train, train.numel(), weight(prior)
            )
            loss = -bound.bound * (num_batches / num_labeled)
            check_finite(loss, epoch)
            loss.backward()
            run.logits.touch(prior.pairs.position)
            run.step()
            total += torch.stack(bound[:3]).detach()
        total = ranks.sum(total)
        return Bound(total[0], total[1], total[2], -total[0] / num_labeled)

    def predict() -> Tensor:
        pairs = learner.prior.pairs
        if isinstance(pairs, ClusterPairs):
            return predict_batches(
                learner, data.x, pairs.clusters(), num_samples
            )
        return learner.predict(data.x, num_samples)

    try:
        return run.train(
            train_epoch, predict, checkpoint, checkpoint_every, progress
        )
    except RuntimeError as error:
        if ranks.world == 1 or 'gloo' not in str(error):
            raise
        raise RuntimeError(
            f'process {ranks.rank} lost the connection to another one of '
            f'{ranks.world}, whose own output tells why it ended: the last '
            "'checkpoint' is whole, and the same call goes on from it"
        ) from error


def _distributed(learner: Module, left_out: list[str]) -> Module:
    r"""The learner with the mean of all processes' gradients, but for some
    parameters.
    """
    # The prior is the same in all, and large:
    names = [name for name, _ in learner.named_buffers()]
    left_out = left_out + [name for name in names if name.startswith('prior.')]
    ddp = torch.nn.parallel.DistributedDataParallel
    # The way that PyTorch's own libraries leave parameters out:
    ddp._set_params_and_buffers_to_ignore_for_model(learner, left_out)
    try:
        return ddp(learner)
    finally:
        del learner._ddp_params_and_buffers_to_ignore


def _num_batches(loader: ClusterLoader, ranks: Ranks) -> int:
    r"""The number of batches of all processes, which must have as many."""
    counts = [int(n) for n in ranks.all_of(torch.tensor(len(loader)))]
    if len(set(counts)) > 1:
        raise ValueError(
            "'loader' must have as many batches in each process, got "
            f"{counts}: choose 'num_parts' as a multiple of the number of "
            "processes times 'batch_size'"
        )
    return sum(counts)


def predict_batches(
    learner: VariationalGraphLearner,
    x: Tensor,
    batches: Iterable[Tensor],
    num_samples: int = 16,
    noise: Noise | None = None,
) -> Tensor:
    r"""The predictive class probabilities of all nodes, :obj:`[N, C]`, as
    :meth:`VariationalGraphLearner.predict` gives them, batch by batch.

    With :class:`~torch_geometric_vgcn.pairs.ClusterPairs` and its
    :meth:`clusters` as batches they are the same as those at once. With other
    pairs, nodes don't see their neighbours outside the batch.

    Args:
        learner (VariationalGraphLearner): What to predict with.
        x (Tensor): The features of all nodes, of shape :obj:`[N, F]`.
        batches (Iterable[Tensor]): The ids of the nodes of each batch. Each
            node must be in one.
        num_samples (int, optional): The number of graphs.
            (default: :obj:`16`)
        noise (Noise, optional): The randomness of all pairs, from
            :meth:`VariationalGraphLearner.noise`.
            (default: :obj:`None`, drawn anew)
    """
    parts, nodes = [], []
    for n_id in batches:
        prior = learner.prior.subset(n_id)
        own = None if noise is None else noise.subset(prior.pairs)
        parts.append(learner.predict(x[n_id], num_samples, prior, own))
        nodes.append(n_id)
    node = torch.cat(nodes)
    if not torch.equal(
        node.sort().values, torch.arange(x.size(0), device=node.device)
    ):
        raise ValueError(
            f"'batches' must hold each of the {x.size(0)} nodes once, "
            f'got {node.unique().numel()} nodes in {node.numel()} places'
        )
    prob = torch.cat(parts)
    return torch.empty_like(prob).index_copy_(0, node, prob)
