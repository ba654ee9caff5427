r"""The picture of the documentation's first page: a part of Citeseer, as it is
given after 5,000 false edges were added, and as the one call learned it.

    python examples/given_and_learned.py --out docs/plots
"""

import argparse
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import networkx as nx
import torch
from torch import Tensor

from torch_geometric_vgcn import VGCN, evaluate
from torch_geometric_vgcn.analysis import communities
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.transforms import PoisonGraph

RIGHT, FALSE = '#333333', '#CC1122'
CLASSES = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#56B4E9', '#F0E442']


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    add = parser.add_argument
    add('--root', help='folder with CiteSeer/raw (default: $VGCN_DATA)')
    add('--effort', default='default', choices=['quick', 'default', 'best'])
    add('--out', type=Path, default=Path('results/given_and_learned'))
    args = parser.parse_args()

    data = PoisonGraph(add=5000)(planetoid('CiteSeer', args.root)[0])
    model = VGCN(data, effort=args.effort).fit()
    accuracy, _ = evaluate(model.predict(), data.y, data.test_mask)
    print(f'test accuracy {accuracy:.1%}')

    false = set(map(tuple, data.added_pairs.sort(dim=0).values.t().tolist()))
    graph = nx.Graph()
    for source, target, given, _, prob in model.edges().values.tolist():
        added = (source, target) in false
        graph.add_edge(source, target, given=given, added=added, prob=prob)
    for name, added in (('right', False), ('false', True)):
        edges = [edge for *_, edge in graph.edges(data=True) if edge['given']]
        prob = [edge['prob'] for edge in edges if edge['added'] == added]
        likely = sum(p >= 0.5 for p in prob)
        print(f'{name} edges given: {len(prob):,}, {likely:,} at 1/2 or more')

    nodes = next(each for each in communities(data) if len(each) <= 45)
    matplotlib.use('Agg')  # the picture is written to a file
    with matplotlib.rc_context({'font.size': 11, 'svg.hashsalt': 'same'}):
        args.out.mkdir(parents=True, exist_ok=True)
        path = args.out / 'given_and_learned.svg'
        draw(graph.subgraph(nodes.tolist()), data.y, path)
    print(path)


def draw(graph: nx.Graph, y: Tensor, path: Path) -> None:
    r"""Draws the given edges, false ones dashed, and the learned edges, as
    dark as they are probable.
    """
    given = [edge for edge in graph.edges if graph.edges[edge]['given']]
    place = nx.kamada_kawai_layout(graph.edge_subgraph(given))
    figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout='constrained')
    for name, ax in zip(('given', 'learned'), axes, strict=True):
        edges = given if name == 'given' else list(graph.edges)
        red = [graph.edges[edge]['added'] for edge in edges]
        if name == 'given':
            title = f'given: {len(edges)} edges, {sum(red)} false'
            style = {'style': ['dashed' if each else 'solid' for each in red]}
        else:
            prob = [graph.edges[edge]['prob'] for edge in edges]
            likely = [p >= 0.5 for p in prob]
            red = [each and p for each, p in zip(red, likely, strict=True)]
            title = f'learned: {sum(likely)} likely edges, {sum(red)} false'
            style = {'alpha': prob}
        color = [FALSE if each else RIGHT for each in red]
        nx.draw_networkx_edges(
            graph, place, edges, ax=ax, edge_color=color, width=1.4, **style
        )
        nx.draw_networkx_nodes(
            graph,
            place,
            ax=ax,
            node_size=50,
            node_color=[CLASSES[y[node]] for node in graph],
            edgecolors=RIGHT,
            linewidths=0.6,
        )
        ax.set_title(title, loc='left', fontsize='medium', color=RIGHT)
        ax.set_axis_off()
    figure.savefig(path, metadata={'Date': None})


if __name__ == '__main__':
    torch.set_num_threads(1)
    main()
