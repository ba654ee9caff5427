from typing import TYPE_CHECKING, Any

import networkx
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.analysis.moved_links import added_among
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.pairs import Candidates, Pairs
from torch_geometric_vgcn.plots.axes import (
    BLUE,
    DARK,
    GREEN,
    GREY,
    ORANGE,
    PINK,
    RED,
    SKY,
    YELLOW,
    several_axes,
)
from torch_geometric_vgcn.recipe import VGCN
from torch_geometric_vgcn.utils import (
    check_edge_index,
    check_kind,
    check_labels,
    check_node_id,
    count_nodes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLASS_COLORS = (BLUE, ORANGE, GREEN, SKY, PINK, YELLOW, GREY)
CLASS_MARKERS = ('o', 's', '^', 'D')  # once the colours are used up


def plot_community(
    data: Data,
    learner: VariationalGraphLearner | VGCN,
    nodes: Tensor,
    added_pairs: Tensor | None = None,
    axes: tuple['Axes', 'Axes'] | None = None,
    x: Tensor | None = None,
) -> tuple['Axes', 'Axes']:
    r"""Draws some nodes twice in the same places, coloured by class: with the
    edges of the given graph, added ones dashed and red; and with all
    learned pairs, as opaque as they are likely, added ones red if their
    probability is still at least one half.

    Args:
        data (torch_geometric.data.Data): The graph to compare with, as a rule
            the one that the prior was made from, with :obj:`edge_index` and
            :obj:`y`.
        learner (VariationalGraphLearner or VGCN): The trained learner or the
            fitted model.
        nodes (Tensor): The node ids, for example one of
            :func:`~torch_geometric_vgcn.analysis.communities`.
        added_pairs (Tensor, optional): The edges that an attacker has added,
            of shape :obj:`[2, M]`. (default: :obj:`data.added_pairs`, where
            it is)
        axes (Tuple[matplotlib.axes.Axes, matplotlib.axes.Axes], optional):
            Where to draw. (default: :obj:`None`, on a new figure)
        x (Tensor, optional): The features, for posteriors that see them.
            (default: :obj:`None`)

    Returns:
        Both axes.
    """
    n = count_nodes(data)
    if added_pairs is None:
        added_pairs = data.get('added_pairs')
    pairs, posterior = _learned(learner, x)
    if n != pairs.num_nodes:
        raise ValueError(
            f"'data' must have the learner's {pairs.num_nodes} nodes, got {n}"
        )
    check_edge_index(data.get('edge_index'), n, 'data.edge_index')
    check_node_id(nodes, n, 'nodes')
    nodes = nodes.long()
    check_labels(data.y, nodes, n, 'nodes')

    left, right = several_axes(axes, 2, 'axes')
    given, false = _among(Candidates(data.edge_index, n), nodes, added_pairs)
    learned, kept = _among(pairs, nodes, added_pairs)
    prob = posterior[pairs.subset(nodes).position].numpy(force=True)
    kept &= prob >= 0.5
    titles = [
        f'given: {len(given)} edges',
        f'learned: {int((prob >= 0.5).sum())} edges at ½ or more',
    ]
    if added_pairs is not None:
        titles[0] += f', {int(false.sum())} added'
        titles[1] += f', {int(kept.sum())} added'
    style = np.where(false, 'dashed', 'solid').tolist()
    place = _layout(given, nodes.numel())
    _draw_edges(left, place, given, false, width=1.2, style=style)
    _draw_edges(right, place, learned, kept, width=1.6, alpha=prob.tolist())
    for ax, title in zip((left, right), titles, strict=True):
        _draw_nodes(ax, place, data.y[nodes].numpy(force=True))
        ax.set_title(title, loc='left', fontsize='medium', color=DARK)
        ax.margins(0.08)
        ax.set_axis_off()
    left.legend(
        loc='upper left',
        bbox_to_anchor=(0, 0),
        ncols=6,
        frameon=False,
        fontsize='small',
        borderpad=0,
        columnspacing=0.7,
        handlelength=1.2,
        handletextpad=0.2,
    )
    return left, right


def _learned(
    learner: VariationalGraphLearner | VGCN, x: Tensor | None
) -> tuple[Pairs, Tensor]:
    r"""The pairs that were learned, and their probabilities."""
    if isinstance(learner, VGCN):
        graph = learner.learned_graph(threshold=0.0)
        pairs = Candidates(graph.edge_index, graph.num_nodes)
        row, col = graph.edge_index
        return pairs, graph.edge_prob[row < col]
    check_kind(learner, VariationalGraphLearner, 'learner')
    return learner.prior.pairs, learner.edge_probs(x).detach()


def _among(
    pairs: Pairs, nodes: Tensor, added_pairs: Tensor | None
) -> tuple[np.ndarray, np.ndarray]:
    r"""The pairs among the nodes, of shape :obj:`[M, 2]`, numbered by their
    places in :obj:`nodes`, and which of them were added.
    """
    inside = pairs.subset(nodes)
    added = added_among(pairs, added_pairs)[inside.position]
    return inside.index.t().numpy(force=True), added.numpy(force=True)


def _layout(edges: np.ndarray, num_nodes: int) -> np.ndarray:
    r"""Places for the nodes :obj:`[N, 2]`, near to each other where an edge
    is. The result is deterministic.
    """
    one, shape = np.ones(len(edges)), (num_nodes, num_nodes)
    graph = coo_array((one, tuple(edges.T)), shape=shape).tocsr()
    distance = shortest_path(graph, directed=False, unweighted=True)
    # Parts without an edge between them stand a little apart:
    apart = 1 + distance[np.isfinite(distance)].max()
    distance = np.minimum(distance, apart)
    rows = {node: dict(enumerate(row)) for node, row in enumerate(distance)}
    nodes = networkx.empty_graph(num_nodes)
    place = networkx.kamada_kawai_layout(nodes, dist=rows)
    return np.stack([place[node] for node in nodes])


def _draw_edges(
    ax: 'Axes',
    place: np.ndarray,
    edges: np.ndarray,
    red: np.ndarray,
    **style: Any,
) -> None:
    networkx.draw_networkx_edges(
        networkx.empty_graph(len(place)),
        place,
        edges.tolist(),
        ax=ax,
        edge_color=np.where(red, RED, DARK).tolist(),
        **style,
    )


def _draw_nodes(ax: 'Axes', place: np.ndarray, y: np.ndarray) -> None:
    r"""Draws the nodes of each class in its colour."""
    for label in np.unique(y).tolist():
        turn, color = divmod(label, len(CLASS_COLORS))
        left, top = place[y == label].T
        ax.scatter(
            left,
            top,
            s=50,
            color=CLASS_COLORS[color],
            marker=CLASS_MARKERS[turn % len(CLASS_MARKERS)],
            edgecolors=DARK,
            linewidths=0.6,
            label=f'class {label}',
            zorder=2,
        )
