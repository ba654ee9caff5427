import os
from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.checks import (
    check_features,
    check_flag,
    check_kind,
    check_seed,
    check_share,
)
from torch_geometric_vgcn.checks.kind import check_callable
from torch_geometric_vgcn.recipe.described import described
from torch_geometric_vgcn.recipe.edges import (
    Edges,
    edges_of,
    graph_of,
    table_of,
)
from torch_geometric_vgcn.recipe.effort import Effort, effort_of
from torch_geometric_vgcn.recipe.features import Features
from torch_geometric_vgcn.recipe.members import (
    Learner,
    MakeNetwork,
    Member,
    check_members,
    default_members,
)
from torch_geometric_vgcn.recipe.prepare import prepare
from torch_geometric_vgcn.recipe.rounds import train_members
from torch_geometric_vgcn.recipe.saved import load_state, save_state
from torch_geometric_vgcn.recipe.table import as_table, as_text
from torch_geometric_vgcn.recipe.taught import TaughtMember
from torch_geometric_vgcn.recipe.unseen import predict_unseen
from torch_geometric_vgcn.recipe.weights import Weights


class VGCN:
    r"""Classes of nodes and the graph between them, in one call

    .. code-block:: python

        model = VGCN(data).fit()
        prob, graph = model.predict(), model.learned_graph()

    Several *members* are trained: one without a graph, one on the nearest
    neighbours, and several on the given graph, if there is one, each of which
    trusts it differently. Held-out labels don't choose one of them, they give
    each one a weight :math:`w_m`; predictions and edges are means

    .. math::
        p(y_n) = \sum_m w_m \, p_m(y_n)^{1 / T_m} / Z_{mn}, \quad
        q(A_{ij}) = \sum_m w_m \, q_m(A_{ij}).

    Held-out labels are those of :obj:`data.val_mask`. Without it, members are
    trained on parts of the labels, each part is held out in turn, and in the
    end they are trained on all.

    Args:
        data (torch_geometric.data.Data): The nodes, with features :obj:`x`,
            classes :obj:`y` (:obj:`-1` if unknown), and if there is a graph,
            :obj:`edge_index`. Labels are those of :obj:`train_mask` and
            :obj:`val_mask`; without any mask, all of at least zero. No other
            label is looked at. With members that are all a
            :class:`TaughtMember`, :obj:`y` may hold quantities, NaN if
            unknown.
        members (Sequence[Member], optional): What to train instead of the
            default members.
        network (Callable, optional): Makes the network of all members with a
            graph, from the :class:`Task`, with its :obj:`num_features` and
            :obj:`num_classes`.
            (default: :class:`~torch_geometric_vgcn.models.PropagatedMLP`)
        features (Features, optional): How features are scaled and compared:
            :class:`Counts` or :class:`Measurements`. (default: decided by
            their values)
        effort (str or Effort, optional): :obj:`'quick'`, :obj:`'default'` or
            :obj:`'best'`. (default: :obj:`'default'`)
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

    def __init__(
        self,
        data: Data,
        members: Sequence[Member] | None = None,
        *,
        network: MakeNetwork | None = None,
        features: Features | None = None,
        effort: str | Effort = 'default',
        seed: int = 0,
        progress: bool = True,
        verbose: bool = False,
    ) -> None:
        check_callable(network, 'network')
        if features is not None:
            check_kind(features, Features, 'features')
        self.effort = effort_of(effort)
        self.seed = check_seed(seed)
        self.progress = check_flag(progress, 'progress')
        self.verbose = check_flag(verbose, 'verbose')
        quantity = isinstance(members, (list, tuple)) and all(
            isinstance(member, TaughtMember) for member in members
        )
        self.task = prepare(
            data, features, network, self.effort.warmup, quantity
        )
        has_graph = self.task.edge_index is not None
        if members is None:
            members = default_members(has_graph, network)
        self.members = check_members(members)
        for member in self.members:
            member.graph(self.task)  # or an error, before any is trained

    def fit(self) -> 'VGCN':
        r"""Trains all members and weighs them. Returns the model itself."""
        trained, scores, held = train_members(
            self.members, self.task, self.effort, self.seed, self.progress
        )
        self._set(
            {name: t.learners for name, t in trained.items()},
            {name: t.prob for name, t in trained.items()},
            scores,
        )
        self.held_out_ = held
        self.held_out_prob_ = scores.mean(
            {name: t.held_out for name, t in trained.items()}
        )
        if self.verbose:
            print(as_text(self.scores_.columns()))
        return self

    def _set(
        self,
        learners: dict[str, list[Learner]],
        prob: dict[str, Tensor],
        scores: Weights,
    ) -> None:
        r"""Makes the model a fitted one."""
        self.members_ = list(self.members)
        self.learners_ = learners
        self.prob_ = prob
        self.scores_ = scores
        self.weights_ = scores.weights
        self.temperature_ = dict(
            zip(scores.name, scores.temperature, strict=True)
        )
        self._edges: Edges | None = None

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
            return self.scores_.mean(self.prob_)
        check_features(x, x.size(0), 'x')
        if x.size(1) != self.task.num_features:
            raise ValueError(
                f"'x' must have {self.task.num_features} columns, as the "
                f'features of training, got {x.size(1)}'
            )
        scale = self.task.scaler
        return self.scores_.mean(
            predict_unseen(self, x if scale is None else scale(x))
        )

    def learned_graph(self, threshold: float = 0.5) -> Data:
        r"""The edges whose probability is at least :obj:`threshold`, as a PyG
        graph with :obj:`edge_index` (both directions) and :obj:`edge_prob`.
        An edge of a fixed graph has probability one in its member, and no
        graph is one in which all have probability zero.
        """
        check_share(threshold, 'threshold')
        edge_index, prob = graph_of(self._found_edges(), threshold)
        return Data(
            edge_index=edge_index,
            edge_prob=prob,
            num_nodes=self.task.num_nodes,
        )

    def edges(self) -> Any:
        r"""A table (of pandas where it is installed, otherwise a list of
        dictionaries) of all pairs of nodes that any member considers, with
        :obj:`source`, :obj:`target`, whether they are :obj:`given`, and the
        :obj:`prior` and :obj:`posterior` probability of an edge. Those that
        contradict the given graph the most come first: given edges that are
        improbable, and other pairs that are probable.
        """
        return as_table(table_of(self._found_edges()))

    def _found_edges(self) -> Edges:
        self._check_fitted()
        if self._edges is None:
            self._edges = edges_of(self.learners_, self.weights_, self.task)
        return self._edges

    def leaderboard(self) -> Any:
        r"""A table of all members: :obj:`accuracy` and negative log-likelihood
        :obj:`nll` on held-out labels, the :obj:`weight` and its standard error
        :obj:`weight_se`, and the :obj:`seconds` of training.
        """
        self._check_fitted()
        return as_table(self.scores_.columns())

    def save(self, path: str | os.PathLike) -> None:
        r"""Writes the fitted model to a file, without the data and without
        pickled objects.
        """
        self._check_fitted()
        save_state(self, path)

    @classmethod
    def load(
        cls, path: str | os.PathLike, data: Data, **options: Any
    ) -> 'VGCN':
        r"""Reads a model that :meth:`save` has written.

        Args:
            path (str or PathLike): The file.
            data (torch_geometric.data.Data): The same data as before.
            **options: The :obj:`members`, :obj:`network` and
                :obj:`features`, if they were given.
        """
        return load_state(cls, path, data, options)

    def _check_fitted(self) -> None:
        if not hasattr(self, 'weights_'):
            raise RuntimeError(
                f'{type(self).__name__} is not fitted yet: call fit() first'
            )

    def __repr__(self) -> str:
        return described(self)
