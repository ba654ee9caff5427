from typing import TYPE_CHECKING, Any

import networkx
import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.analysis.moved_links import added_among, moved_links
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.pairs import Candidates
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
    axes_or_new,
    new_axes,
)
from torch_geometric_vgcn.utils import (
    check_edge_index,
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
    learner: VariationalGraphLearner,
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
        learner (VariationalGraphLearner): The trained learner.
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
    num_nodes = count_nodes(data)
    if added_pairs is None:
        added_pairs = data.get('added_pairs')
    links = moved_links(learner, x=x, added_pairs=added_pairs)
    n = learner.prior.num_nodes
    if num_nodes != n:
        raise ValueError(
            f"'data' must have the learner's {n} nodes, got {num_nodes}"
        )
    check_edge_index(data.get('edge_index'), n, 'data.edge_index')
    check_node_id(nodes, n, 'nodes')
    nodes = nodes.long()
    check_labels(data.y, nodes, n, 'nodes')

    left, right = _two_axes(axes)
    graph = Candidates(data.edge_index, n)
    given = graph.subset(nodes)
    added = added_among(graph, added_pairs)[given.position].cpu()
    index = given.index.cpu()
    place = layout(index, nodes.numel())
    lines(left, place, index[:, ~added], color=DARK, linewidth=1.2)
    dashed = {'color': RED, 'linewidth': 1.2, 'linestyle': (0, (3, 2))}
    lines(left, place, index[:, added], **dashed)
    text = f'given: {index.size(1)} edges'
    if added_pairs is not None:
        text += f', {int(added.sum())} added'
    left.set_title(text, loc='left', fontsize='medium', color=DARK)

    pairs = learner.prior.pairs.subset(nodes)
    index = pairs.index.cpu()
    prob = links.posterior[pairs.position].cpu()
    kept = links.added[pairs.position].cpu() & (prob >= 0.5)
    for mask, color in ((~kept, DARK), (kept, RED)):
        opacity = prob[mask].numpy()
        style = {'color': color, 'linewidth': 1.6, 'alpha': opacity}
        lines(right, place, index[:, mask], **style)
    text = f'learned: {int((prob >= 0.5).sum())} edges at ½ or more'
    if added_pairs is not None:
        text += f', {int(kept.sum())} added'
    right.set_title(text, loc='left', fontsize='medium', color=DARK)

    for ax in (left, right):
        draw_nodes(ax, place, data.y.cpu()[nodes.cpu()])
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


def _two_axes(axes: Any) -> tuple['Axes', 'Axes']:
    if axes is None:
        axes = new_axes(columns=2)
    if not isinstance(axes, (tuple, list, np.ndarray)) or len(axes) != 2:
        raise TypeError(
            "'axes' must be two matplotlib.axes.Axes, got "
            f'{type(axes).__name__}'
        )
    left, right = (axes_or_new(ax, 'axes') for ax in axes)
    return left, right


def layout(index: Tensor, num_nodes: int) -> np.ndarray:
    r"""Places for the nodes :obj:`[N, 2]`, near to each other where an edge
    is. The result is deterministic.
    """
    graph = networkx.empty_graph(num_nodes)
    graph.add_edges_from(index.t().tolist())
    distance = dict(networkx.all_pairs_shortest_path_length(graph))
    # Parts without an edge between them stand a little apart:
    apart = 1 + max(max(row.values()) for row in distance.values())
    for row in distance.values():
        for node in graph:
            row.setdefault(node, apart)
    place = networkx.kamada_kawai_layout(graph, dist=distance)
    return np.stack([place[node] for node in graph])


def lines(ax: 'Axes', place: np.ndarray, index: Tensor, **style: Any) -> None:
    r"""Draws a line for each pair, below the nodes."""
    from matplotlib.collections import LineCollection

    if index.numel() == 0:
        return
    ends = place[index.t().numpy()]
    ax.add_collection(LineCollection(list(ends), zorder=1, **style))


def draw_nodes(ax: 'Axes', place: np.ndarray, y: Tensor) -> None:
    r"""Draws the nodes of each class in its colour."""
    for label in y.unique().tolist():
        left, top = place[(y == label).numpy()].T
        turn, color = divmod(label, len(CLASS_COLORS))
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
