import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.loader import ClusterLoader, NeighborLoader

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import Consistency, Term
from torch_geometric_vgcn.training.batches import BatchSource
from torch_geometric_vgcn.training.fingerprint import as_text
from torch_geometric_vgcn.training.loader_batches import batches_of
from torch_geometric_vgcn.training.optimizers import RATES, MakeOptimizer
from torch_geometric_vgcn.training.result import Fit
from torch_geometric_vgcn.training.run import Run
from torch_geometric_vgcn.utils import check_kind, progress_bar
from torch_geometric_vgcn.utils.constraints import SIZE, File, Flag, checked
from torch_geometric_vgcn.utils.ranks import Ranks


@checked(
    epochs=SIZE,
    **RATES,
    num_samples=SIZE,
    patience=SIZE,
    checkpoint=File(),
    checkpoint_every=SIZE,
    progress=Flag(),
)
def fit(
    learner: VariationalGraphLearner | FixedGraph | Module,
    data: Data,
    loader: ClusterLoader | NeighborLoader | BatchSource | None = None,
    *,
    epochs: int = 500,
    lr: float = 0.01,
    logit_lr: float | None = None,
    logit_optimizer: MakeOptimizer | None = None,
    weight_decay: float = 5e-4,
    num_samples: int = 3,
    terms: Sequence[Term] = (),
    patience: int = 100,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 25,
    progress: bool = True,
) -> Fit:
    r"""Trains a learner on one graph with the optimisers of
    :func:`optimizers`, and leaves it in the state of the best validation
    score (on ties, of the best likelihood): accuracy for classes,
    :math:`R^2` for :class:`Gaussian`, :math:`F_1` for :class:`MultiLabel`.
    It ends in evaluation mode.

    Without a :obj:`loader`, each epoch is one step on the whole graph. With
    one, it is one step per batch :math:`b` out of :math:`B`, on the loss

    .. math::
        -\frac{B}{|\mathcal{Y}^o|} \left[ \sum_{n \in b} \log p(y_n \mid
        \mathbf{X}_b, \mathbf{A}_b) + w \sum_{n \in b} U_n - \beta
        \sum_{i,j \in b} w_{ij}\, \mathrm{KL}_{ij} \right]

    (:math:`U_n` is a part of :class:`SemiSupervisedELBO` only). Its batches
    are those of a

    * :class:`~torch_geometric.loader.ClusterLoader` over
      :class:`~torch_geometric_vgcn.loader.ClusterData`, with the weights
      :math:`w_{ij}` of :class:`~torch_geometric_vgcn.loader.PairWeight`: over
      an epoch the bounds add up to that of all the data, exactly for
      :class:`~torch_geometric_vgcn.pairs.ClusterPairs`, and otherwise except
      for the edges that are missing between batches;
    * :class:`~torch_geometric.loader.NeighborLoader` that starts from the
      training nodes, of which the :obj:`batch_size` of each batch count as
      labelled, with the weights of
      :class:`~torch_geometric_vgcn.loader.SampledPairWeight`.

    With :class:`FreePosterior(sparse=True)` the cost of a step is that of its
    batch, and all other logits stay as they are; with other posteriors, each
    step moves all logits by their momentum.

    **Several processes** (:obj:`torchrun`, inside :func:`process_group`): each
    has a :class:`~torch_geometric.loader.ClusterLoader` of its own clusters,
    by :obj:`sampler=SubsetRandomSampler(range(rank, num_parts, world_size))`,
    and trains their logits; the gradients of the network are averaged over
    processes (:class:`~torch.nn.parallel.DistributedDataParallel`). After each
    epoch all processes exchange their logits, and the first one validates and
    writes the checkpoint.

    **Random numbers** come from PyTorch's global generator. The same seed
    (:func:`torch_geometric.seed_everything`) gives the same result, also when
    the run was interrupted and is resumed from its checkpoint, as long as
    :obj:`loader` has no generator of its own. All threads share the global
    generator: several runs at once are reproducible in a process for each,
    not in threads.

    Args:
        learner (VariationalGraphLearner or FixedGraph): The learner to train,
            or :obj:`torch.compile(learner)`. Modules that were put into
            evaluation mode (frozen batch normalisation) stay in it, unless
            the whole learner is, as after another call.
        data (torch_geometric.data.Data): The whole data, with :obj:`x`,
            :obj:`y`, :obj:`train_mask` and :obj:`val_mask`. A mask is
            boolean, or a list of node indices.
        loader (ClusterLoader or NeighborLoader, optional): The batches, of
            which only the ids of the nodes are used. With it, the data may be
            on another device than the learner.
            (default: :obj:`None`, the whole graph)
        epochs (int, optional): The maximum number of epochs.
            (default: :obj:`500`)
        lr (float, optional): The learning rate of the network's weights.
            (default: :obj:`0.01`)
        logit_lr (float, optional): How far a step moves a free logit per nat
            of evidence, the gradient of the bound (momentum adds up to ten
            times as much), or the learning rate of :obj:`logit_optimizer`.
            (default: :obj:`0.1`, with a :obj:`logit_optimizer`
            :obj:`0.01`)
        logit_optimizer (Callable, optional): Makes the optimiser of all
            parameters of the posterior, from them and :obj:`lr`.
            (default: momentum SGD on the bound for free logits, whose steps
            are as large as the evidence, and Adam with the rate :obj:`lr` for
            all others)
        weight_decay (float, optional): The L2 penalty on the network's
            weights; the posterior has none. (default: :obj:`5e-4`)
        num_samples (int, optional): The number of graphs per step, in
            training and in validation. (default: :obj:`3`)
        terms (Sequence[Term], optional): Deprecated: further terms of the
            loss, for labels that are classes. With :class:`Consistency`, the
            learner's objective becomes :class:`SemiSupervisedELBO`.
            (default: none)
        patience (int, optional): After how many epochs without improvement
            to stop. (default: :obj:`100`)
        checkpoint (str or Path, optional): A file to save the run to, and to
            resume it from if it exists. It is refused if the learner, the
            data or a setting isn't the same; only :obj:`epochs` may grow.
            (default: :obj:`None`)
        checkpoint_every (int, optional): After how many epochs to save.
            (default: :obj:`25`)
        progress (bool, optional): Whether to show a progress bar.
            (default: :obj:`True`)
    """
    # What torch.compile returns holds the learner, with its state:
    inside = getattr(learner, '_orig_mod', learner)
    check_kind(inside, (VariationalGraphLearner, FixedGraph), 'learner')
    ranks = Ranks() if loader is None else Ranks.of_group()
    if ranks.world > 1 and inside is not learner:
        raise ValueError(
            f"'learner' must not be compiled with {ranks.world} processes: "
            'give the learner itself'
        )
    rates = {
        'lr': lr,
        'logit_lr': logit_lr,
        'weight_decay': weight_decay,
        'logit_optimizer': logit_optimizer,
    }
    with ranks.explaining():
        batches = batches_of(inside, data, loader, ranks)
        own = _own_terms(terms, inside)
        run = Run(learner, batches, own, rates, num_samples, ranks)
        file = None
        if checkpoint is not None:
            settings = rates | {
                'num_samples': num_samples,
                'patience': patience,
            }
            known = {name: str(as_text(v)) for name, v in settings.items()}
            file = batches.checkpoint(
                checkpoint, known | run.fingerprint(), run
            )
            state = file.load(batches.device, epochs)
            if state is not None:
                run.load_state_dict(state)
        history = run.result.history
        start = len(history)
        with (
            batches.unchanged(),
            progress_bar(
                total=epochs,
                initial=start,
                disable=not progress or ranks.rank > 0,
                leave=False,
            ) as bar,
        ):
            while len(history) < epochs and not run.is_over(patience):
                run.one_epoch()
                if file is not None and len(history) % checkpoint_every == 0:
                    run.save(file)
                row = history[-1]
                loss, val = row['loss'], row[f'val_{run.result.score}']
                bar.set_postfix(
                    loss=f'{loss:.3f}', val=f'{val:.3f}', refresh=False
                )
                bar.update()
        if file is not None and len(history) > start:
            run.save(file)
        return run.finish()


def fit_batches(
    learner: Any,
    data: Any,
    loader: Any,
    *,
    epochs: int = 200,
    patience: int = 50,
    checkpoint_every: int = 5,
    **options: Any,
) -> Fit:
    r"""Deprecated: :func:`fit` with a :obj:`loader`, and other defaults of
    :obj:`epochs`, :obj:`patience` and :obj:`checkpoint_every`.
    """
    warnings.warn(
        "'fit_batches' is now fit(learner, data, loader), where 'epochs' is "
        "500, 'patience' 100 and 'checkpoint_every' 25 by default; it goes "
        'with 0.4',
        DeprecationWarning,
        stacklevel=2,
    )
    return fit(
        learner,
        data,
        loader,
        epochs=epochs,
        patience=patience,
        checkpoint_every=checkpoint_every,
        **options,
    )


def _own_terms(terms: Sequence[Term], learner: Any) -> list[Term]:
    r"""Further terms of the loss. Where one is :class:`Consistency`, the
    learner gets the objective that has it as a part of the bound.
    """
    check_kind(terms, Sequence, 'terms')
    for term in terms:
        check_kind(term, Term, 'terms')
    if terms and not learner.likelihood.has_classes:
        names = [type(term).__name__ for term in terms]
        raise ValueError(
            f"'terms' ({', '.join(names)}) need labels that are classes "
            f'(Categorical), got the likelihood '
            f'{type(learner.likelihood).__name__}'
        )
    if terms:
        warnings.warn(
            "'terms' is deprecated: what nodes without a label tell is a part "
            'of SemiSupervisedELBO, which replaces Consistency here, and '
            'terms of your own belong in an Objective or in your own loop',
            DeprecationWarning,
            stacklevel=4,
        )
    own = []
    for term in terms:
        if isinstance(term, Consistency):
            learner.criterion = term.in_place_of(learner.criterion)
        else:
            own.append(term)
    return own
