from typing import TYPE_CHECKING, Any

import networkx
import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.pairs.base import check_node_id
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
    new_axes,
)
from torch_geometric_vgcn.plots.moved_links import moved_links

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLASS_COLORS = (BLUE, ORANGE, GREEN, SKY, PINK, YELLOW, GREY)
CLASS_MARKERS = ('o', 's', '^', 'D')  # once the colours are used up


def plot_community(
    data: Data,
    learner: VariationalGraphLearner,
    nodes: Tensor,
    added_edges: Tensor | None = None,
    axes: tuple['Axes', 'Axes'] | None = None,
    x: Tensor | None = None,
) -> tuple['Axes', 'Axes']:
    r"""Draws some nodes twice in the same places, coloured by class: with the
    edges of the observed graph, added ones dashed and red; and with all
    learned pairs, as opaque as they are likely, added ones red if their
    probability is still at least one half.

    Args:
        data (torch_geometric.data.Data): The observed graph that the prior
            was made from, with :obj:`edge_index` and :obj:`y`.
        learner (VariationalGraphLearner): The trained learner.
        nodes (Tensor): The node ids, for example one of
            :func:`~torch_geometric_vgcn.plots.communities`.
        added_edges (Tensor, optional): The edges that an attacker has added,
            of shape :obj:`[2, M]`. (default: :obj:`data.added_edges`, where
            it is)
        axes (Tuple[matplotlib.axes.Axes, matplotlib.axes.Axes], optional):
            Where to draw. (default: :obj:`None`, on a new figure)
        x (Tensor, optional): The features, for posteriors that see them.
            (default: :obj:`None`)

    Returns:
        Both axes.
    """
    if added_edges is None:
        added_edges = data.get('added_edges')
    links = moved_links(learner, x=x, added_edges=added_edges)
    learner.check_observed(data.edge_index)
    check_node_id(nodes, learner.prior.num_nodes)
    pairs = learner.prior.pairs.subset(nodes)
    assert pairs.position is not None
    index = pairs.index.cpu()
    prob = links.posterior[pairs.position].cpu()
    added = links.added[pairs.position].cpu()
    observed = learner.prior.pairs.contains(data.edge_index)
    observed = observed[pairs.position].cpu()
    place = layout(index[:, observed], nodes.numel())
    kept = added & (prob >= 0.5)

    left, right = axes if axes is not None else new_axes(columns=2)
    lines(left, place, index[:, observed & ~added], color=DARK, linewidth=1.2)
    lines(
        *(left, place, index[:, observed & added]),
        color=RED,
        linewidth=1.2,
        linestyle=(0, (3, 2)),
    )
    lines(
        *(right, place, index[:, ~kept]),
        color=DARK,
        linewidth=1.4,
        alpha=prob[~kept].numpy(),
    )
    lines(
        *(right, place, index[:, kept]),
        color=RED,
        linewidth=1.6,
        alpha=prob[kept].numpy(),
    )
    for ax in (left, right):
        draw_nodes(ax, place, data.y.cpu()[nodes.cpu()])
        ax.set_aspect('equal')
        ax.margins(0.08)
        ax.set_axis_off()
    style: dict[str, Any] = {'loc': 'left', 'fontsize': 'medium'}
    text = f'{int(observed.sum())} edges'
    if added_edges is not None:
        text += f', {int((observed & added).sum())} of them added'
    left.set_title(text, color=DARK, **style)
    text = f'{int((prob >= 0.5).sum())} edges of probability ½ or more'
    if added_edges is not None:
        text += f', {int(kept.sum())} of them added'
    right.set_title(text, color=DARK, **style)
    return left, right


def layout(index: Tensor, num_nodes: int) -> np.ndarray:
    r"""Places for the nodes :obj:`[N, 2]`, near to each other where an edge
    is. No chance is in it.
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
            s=55,
            color=CLASS_COLORS[color],
            marker=CLASS_MARKERS[turn % len(CLASS_MARKERS)],
            edgecolors='white',
            linewidths=0.8,
            label=f'class {label}',
            zorder=2,
        )
