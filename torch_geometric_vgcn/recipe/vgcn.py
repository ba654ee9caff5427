import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.posterior import Posterior
from torch_geometric_vgcn.recipe.edges import Edges, edges_of
from torch_geometric_vgcn.recipe.effort import Effort, effort_of
from torch_geometric_vgcn.recipe.features import Features
from torch_geometric_vgcn.recipe.labels import class_names
from torch_geometric_vgcn.recipe.members import (
    LearnedMember,
    Member,
    check_members,
    default_members,
)
from torch_geometric_vgcn.recipe.rounds import train_members
from torch_geometric_vgcn.recipe.run import Run, held_out_prob, mean_prob
from torch_geometric_vgcn.recipe.saved import model_of, runs_of, state_of
from torch_geometric_vgcn.recipe.shown import as_table, as_text, described
from torch_geometric_vgcn.recipe.task import (
    MakeNetwork,
    MakeObjective,
    MakePosterior,
    MakePrior,
    prepare,
)
from torch_geometric_vgcn.recipe.taught import TaughtMember
from torch_geometric_vgcn.recipe.unseen import predict_unseen
from torch_geometric_vgcn.recipe.weights import Score, ranked, weighted_mean
from torch_geometric_vgcn.utils import Seeded, check_features
from torch_geometric_vgcn.utils.constraints import (
    POSITIVE,
    SEED,
    SHARE,
    File,
    Flag,
    Instance,
    Maker,
    checked,
)
from torch_geometric_vgcn.utils.plain_file import read_plain, write_plain

#: What files are of.
KIND = 'VGCN'


class VGCN:
    r"""Classes of nodes and the graph between them, in one call

    .. code-block:: python

        model = VGCN(data).fit()
        prob, graph = model.predict(), model.learned_graph()

    Several *members* are trained: one without a graph, one on the nearest
    neighbours, and several on the given graph, if there is one, each of which
    trusts it differently. Held-out labels don't choose one of them, they give
    each one a weight :math:`w_m`; predictions are means

    .. math::
        p(y_n) = \sum_m w_m \, p_m(y_n)^{1 / T_m} / Z_{mn}.

    Held-out labels are those of :obj:`data.val_mask`: each half of them judges
    what was trained on the other half and :obj:`data.train_mask`. So the
    model has seen them; to compare it with others by these labels, use
    :obj:`held_out_prob_`, or :obj:`train_on_val=False`. Without a
    :obj:`val_mask`, members are trained on parts of the labels, each part is
    held out in turn, and in the end they are trained on all.

    Args:
        data (torch_geometric.data.Data): The nodes, with features :obj:`x`,
            classes :obj:`y` (:obj:`-1` if unknown), and if there is a graph,
            :obj:`edge_index` or :obj:`adj_t`. Labels are those of
            :obj:`train_mask` and :obj:`val_mask`; without any mask, all of at
            least zero. No other label is looked at. With members that are all
            a :class:`TaughtMember`, :obj:`y` may hold quantities, NaN if
            unknown.
        graph (Any, optional): The graph, if it isn't in :obj:`data`: an
            :obj:`edge_index`, a sparse matrix, a NetworkX graph, a DataFrame
            of two columns or a list of pairs. Without an edge between two
            nodes, it is no graph. (default: that of :obj:`data`, if any)
        node_names (Sequence, optional): A text or whole number for each node:
            what :obj:`graph` calls it, and what :meth:`edges` shows.
            (default: :obj:`data.node_names`, or :math:`0` to :math:`N - 1`)
        members (Sequence[Member], optional): What to train instead of the
            default members.
        network (Callable, optional): Makes the network of all members with a
            graph, from the :class:`Task`, with its :obj:`num_features` and
            :obj:`num_classes`.
            (default: :class:`~torch_geometric_vgcn.models.PropagatedMLP`)
        prior (Callable, optional): Makes the prior of all learned members,
            from the :class:`Task` and the graph of the member, an
            :obj:`edge_index`: members then differ by their graphs alone.
            (default: :class:`SmoothedPrior` with :class:`EvidencePrior`)
        posterior (Posterior or Callable, optional): The posterior of all
            learned members, of which each gets its own copy, or a function
            without arguments that makes it.
            (default: :obj:`FreePosterior() + ClassPosterior()`)
        objective (Callable, optional): Makes the objective of all members
            from its :class:`KL`, such as :class:`ELBO`.
            (default: :class:`SemiSupervisedELBO`)
        features (Features, optional): How features are scaled and compared:
            :class:`Counts` or :class:`Measurements`. (default: decided by
            their values)
        effort (str or Effort, optional): :obj:`'quick'`, :obj:`'default'` or
            :obj:`'best'`. (default: :obj:`'default'`)
        time_limit (float, optional): After how many seconds no member is
            begun any more, except for the first two. The result then depends
            on the machine, too. (default: :obj:`None`)
        train_on_val (bool, optional): Whether validation labels are trained
            on, too. With :obj:`False` they only tell when to stop and what to
            trust: the protocol of most published comparisons.
            (default: :obj:`True`)
        seed (int, optional): The source of all randomness. Global random
            states are left as they are. (default: :obj:`0`)
        progress (bool, optional): Whether to show a progress bar.
            (default: :obj:`True`)
        verbose (bool, optional): Whether to print the leaderboard in the end.
            (default: :obj:`False`)

    Attributes:
        members_ (List[Member]): The members.
        learners_ (Dict[str, List[VariationalGraphLearner or FixedGraph]]):
            The trained learners of each member, one for each run.
        weights_ (Dict[str, float]): The weight of each member.
        temperature_ (Dict[str, float]): The temperature of each member.
        held_out_ (Tensor): The nodes whose labels were held out.
        held_out_prob_ (Tensor): Their class probabilities, predicted without
            these labels.
    """

    @checked(
        network=Maker(),
        prior=Maker(),
        objective=Maker(),
        features=Instance(Features),
        time_limit=POSITIVE,
        train_on_val=Flag(),
        seed=SEED,
        progress=Flag(),
        verbose=Flag(),
    )
    def __init__(
        self,
        data: Data,
        graph: Any = None,
        *,
        node_names: Sequence[str | int] | None = None,
        members: Sequence[Member] | None = None,
        network: MakeNetwork | None = None,
        prior: MakePrior | None = None,
        posterior: MakePosterior | None = None,
        objective: MakeObjective | None = None,
        features: Features | None = None,
        effort: str | Effort = 'default',
        time_limit: float | None = None,
        train_on_val: bool = True,
        seed: int = 0,
        progress: bool = True,
        verbose: bool = False,
    ) -> None:
        if posterior is not None and not isinstance(posterior, Posterior):
            Maker()(posterior, 'posterior')
        self.effort = effort_of(effort)
        self.time_limit = time_limit
        self.train_on_val = train_on_val
        self.seed = seed
        self.progress = progress
        self.verbose = verbose
        quantity = isinstance(members, (list, tuple)) and all(
            isinstance(member, TaughtMember) for member in members
        )
        self.task = prepare(
            data,
            features,
            graph,
            node_names,
            quantity,
            network=network,
            warmup=self.effort.warmup,
            prior=prior,
            posterior=posterior,
            bound=objective,
        )
        self.class_names = class_names(data, self.task.num_classes)
        given = {'graph': graph, 'node_names': node_names}
        self.given = [name for name in given if given[name] is not None]
        parts = (members, network, prior, posterior, objective)
        if members is None:
            has_graph = self.task.edge_index is not None
            members = default_members(has_graph, network)
        self.members = check_members(members)
        # Errors come before anything is trained:
        for member in self.members:
            member.graph(self.task)
        if any(part is not None for part in parts):
            learned = [m for m in self.members if isinstance(m, LearnedMember)]
            with Seeded(self.seed):
                for member in learned[:1]:
                    member.learner(self.task)

    def fit(self, checkpoint: str | os.PathLike | None = None) -> 'VGCN':
        r"""Trains all members and weighs them. Returns the model itself.

        Args:
            checkpoint (str or PathLike, optional): A file that keeps what is
                trained: after an interruption, the same call goes on from
                there, to the same result. In the end it is as :meth:`save`
                writes it. (default: :obj:`None`)
        """
        done: dict[str, list[Run]] = {}
        keep = None
        if checkpoint is not None:
            path = File()(checkpoint, 'checkpoint')
            if path.exists():
                state = read_plain(path, KIND, 'checkpoint')
                done = runs_of(self, state, path)

            def keep(runs: dict[str, list[Run]]) -> None:
                write_plain(path, KIND, state_of(self, runs))

            keep(done)  # or an error, now
        self._set(*train_members(self, done, keep))
        if checkpoint is not None:
            self.save(checkpoint)
        if self._left_out:
            warnings.warn(
                f"'time_limit' of {self.time_limit:g} seconds was over before "
                f'these members were trained: {", ".join(self._left_out)}',
                stacklevel=2,
            )
        if self.verbose:
            print(as_text(self.leaderboard()))
        return self

    def _set(
        self,
        runs: dict[str, list[Run]],
        scores: dict[str, Score],
        held_out: Tensor,
    ) -> None:
        r"""Makes the model a fitted one."""
        names = [member.name for member in self.members]
        self._left_out = [name for name in names if name not in runs]
        self.members_ = list(self.members)
        self.runs_, self.scores_ = runs, scores
        self.learners_ = {n: [r.learner for r in runs[n]] for n in runs}
        self.prob_ = {name: mean_prob(each) for name, each in runs.items()}
        self.held_out_ = held_out
        self.held_out_prob_ = self._mean(
            {
                name: held_out_prob(each, held_out)
                for name, each in runs.items()
                if scores[name].weight > 0
            }
        )
        self.weights_ = {name: s.weight for name, s in scores.items()}
        self.weights_ |= dict.fromkeys(self._left_out, 0.0)
        self.temperature_ = {n: s.temperature for n, s in scores.items()}
        self._edges: Edges | None = None
        self.task.known.clear()  # of a million rows, half a gigabyte

    def _mean(self, prob: dict[str, Tensor]) -> Tensor:
        return weighted_mean(prob, self.scores_, self.task.quantity)

    def predict(self, x: Tensor | None = None) -> Tensor:
        r"""The class probabilities of all nodes, of shape :obj:`[N, C]`.

        Args:
            x (Tensor, optional): The features of other nodes, each of which
                joins the nearest nodes by its features. Members that need the
                given graph have no part in this. (default: the nodes of
                training)
        """
        self._check_fitted()
        if x is None:
            return self._mean(self.prob_)
        check_features(x, x.size(0), 'x')
        if x.size(1) != self.task.num_columns:
            raise ValueError(
                f"'x' must have {self.task.num_columns} columns, as the "
                f'features of training, got {x.size(1)}'
            )
        scale = self.task.scaler
        return self._mean(
            predict_unseen(self, x if scale is None else scale(x))
        )

    @checked(threshold=SHARE)
    def learned_graph(self, threshold: float = 0.5) -> Data:
        r"""The edges whose probability is at least :obj:`threshold`, as a PyG
        graph with :obj:`edge_index` (both directions), :obj:`edge_prob` and,
        if there are any, :obj:`node_names`. The probabilities are the
        posterior ones of :meth:`edges`.
        """
        edge_index, prob = self._found_edges().graph(threshold)
        graph = Data(
            edge_index=edge_index,
            edge_prob=prob,
            num_nodes=self.task.num_nodes,
        )
        if self.task.node_names is not None:
            graph.node_names = self.task.node_names
        return graph

    def edges(self) -> Any:
        r"""A table (of pandas where it is installed, otherwise a list of
        dictionaries) of all pairs of nodes that any member considers, with
        the names :obj:`source` and :obj:`target`, whether they are
        :obj:`given`, and the :obj:`prior` and :obj:`posterior` probability of
        an edge. Those that contradict the given graph the most come first:
        given edges that are improbable, and other pairs that are probable.

        Of a given edge, :obj:`posterior` is the probability that it is right,
        not a pair of nodes at random, judged by features, classes and the rest
        of the graph; :obj:`prior` is the estimated share of right edges, the
        same for all. Of any other pair, they are the probabilities of an edge
        after and before training: the mean over the members that learn this
        pair, by their weights (or without, if all of these are zero), and one
        if only fixed graphs have it. The latter holds for the edges of a given
        graph with fewer than 100 edges, too, or with nearly all pairs.
        """
        return as_table(self._found_edges().table(self.task.node_names))

    def _found_edges(self) -> Edges:
        self._check_fitted()
        if self._edges is None:
            self._edges = edges_of(self.learners_, self.weights_, self.task)
        return self._edges

    def leaderboard(self) -> Any:
        r"""A table of all members: :obj:`accuracy` and negative log-likelihood
        :obj:`nll` on held-out labels, the :obj:`weight` and its standard error
        :obj:`weight_se`, and the :obj:`seconds` of training. Members that
        :obj:`time_limit` left out come last, with weight zero.
        """
        self._check_fitted()
        return as_table(ranked(self.scores_, self._left_out))

    def report(
        self,
        path: str | os.PathLike = 'report.html',
        title: str = 'What was learned',
    ) -> Path:
        r"""Writes the leaderboard, accuracy and calibration on held-out
        labels, and the edges before and after learning as one page for a
        browser, which needs no network. Returns its path.

        Args:
            path (str or PathLike, optional): The file.
                (default: :obj:`'report.html'`)
            title (str, optional): The title of the page.
                (default: :obj:`'What was learned'`)
        """
        self._check_fitted()
        from torch_geometric_vgcn.report import report

        return report(self, path, title=title)

    def save(self, path: str | os.PathLike) -> None:
        r"""Writes the fitted model to a file, without the data and without
        pickled objects.
        """
        self._check_fitted()
        state = state_of(self, self.runs_, self.scores_, self.held_out_)
        write_plain(File()(path, 'path'), KIND, state)

    @classmethod
    def load(
        cls, path: str | os.PathLike, data: Data, **options: Any
    ) -> 'VGCN':
        r"""Reads a model that :meth:`save` has written.

        Args:
            path (str or PathLike): The file.
            data (torch_geometric.data.Data): The same data as before.
            **options: The :obj:`graph`, :obj:`members`, :obj:`features` and
                parts of members, if they were given.
        """
        path = File()(path, 'path')
        return model_of(cls, read_plain(path, KIND), path, data, **options)

    def _check_fitted(self) -> None:
        if not hasattr(self, 'weights_'):
            raise RuntimeError(
                f'{type(self).__name__} is not fitted yet: call fit() first'
            )

    def __repr__(self) -> str:
        return described(self)
