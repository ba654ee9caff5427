import json
import re
from collections.abc import Callable
from pathlib import Path
from reprlib import repr as short

import numpy as np
import torch
from scipy.sparse import spmatrix
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import LargestConnectedComponents
from torch_geometric.utils import remove_self_loops, to_undirected

from torch_geometric_vgcn.datasets.folders import data_folder
from torch_geometric_vgcn.datasets.read_arrays import as_matrix, read_arrays
from torch_geometric_vgcn.datasets.single_graph import SingleGraph
from torch_geometric_vgcn.transforms.perturbation import change_graph, edges_of
from torch_geometric_vgcn.utils import (
    check_callable,
    check_kind,
    check_nonnegative,
    pair_key,
)

NAMES = ('citeseer', 'cora', 'cora_ml', 'polblogs', 'pubmed')
ATTACKS = ('meta', 'nettack')
SOURCES = (
    'The graphs are in github.com/danielzuegner/nettack (data/) or in the '
    'cache folder of the DeepRobust package, attacked graphs and splits in '
    'github.com/ChandlerBang/Pro-GNN. Put them into SOME_FOLDER (NAME.npz, '
    'meta/, nettack/, splits/) and pass it as '
    "'root', or name it 'prognn' and set VGCN_DATA to the folder beside it."
)


def prognn(
    name: str = 'citeseer',
    attack: str | None = None,
    rate: float | None = None,
    root: str | Path | None = None,
    transform: Callable | None = None,
) -> SingleGraph:
    r"""The graphs and splits of the Pro-GNN paper, `"Graph Structure Learning
    for Robust Graph Neural Networks" <https://arxiv.org/abs/2005.10203>`_,
    as they are or attacked by Metattack or Nettack.

    The graph is the largest component of the file, undirected and without
    self-loops, with its nodes in the order of the file: for Citeseer 2,110
    nodes, 3,668 edges, 3,703 binary features and 210, 211 and 1,688 nodes for
    training, validation and testing. Polblogs has no features, and no
    :obj:`data.x`.

    With an attack, :obj:`data.added_pairs` and :obj:`data.removed_pairs` tell
    how the graph differs from the clean one, each edge once, of shape
    :obj:`[2, M]`. Nettack attacks single nodes: :obj:`data.test_mask` selects
    those.

    The files are read from the first of :obj:`{root}/prognn`, the folder
    :obj:`prognn` beside :obj:`root`, and :obj:`root` that has
    :obj:`{name}.npz`:

    * :obj:`{name}.npz`,
    * :obj:`splits/{name}_prognn_splits.json`,
    * :obj:`meta/{name}_meta_adj_{rate}.npz`,
    * :obj:`nettack/{name}_nettack_adj_{rate}.npz` and
      :obj:`nettack/{name}_nettacked_nodes.json`.

    They are not downloaded, and pickled objects in them are left unread.

    Args:
        name (str, optional): :obj:`"citeseer"`, :obj:`"cora"`,
            :obj:`"cora_ml"`, :obj:`"polblogs"` or :obj:`"pubmed"`.
            (default: :obj:`"citeseer"`)
        attack (str, optional): :obj:`"meta"` or :obj:`"nettack"`.
            (default: :obj:`None`, the clean graph)
        rate (float, optional): How strong the attack is: for :obj:`"meta"`
            the number of changes as a share of the edges, such as
            :obj:`0.05`, for :obj:`"nettack"` their number for each attacked
            node, such as :obj:`3`. With :obj:`0` the graph is the clean one.
            (default: :obj:`None`)
        root (str or Path, optional): The folder of the files, or one beside
            it. (default: the environment variable :obj:`VGCN_DATA`)
        transform (callable, optional): A PyG transform.
            (default: :obj:`None`)
    """
    check_kind(name, str, 'name')
    if name not in NAMES:
        raise ValueError(f"'name' must be one of {NAMES}, got '{name}'")
    if attack is not None:
        check_kind(attack, str, 'attack')
        if attack not in ATTACKS:
            raise ValueError(
                f"'attack' must be None or one of {ATTACKS}, got '{attack}'"
            )
    elif rate is not None:
        raise ValueError(
            f"'rate' must be None without an 'attack', got {rate}"
        )
    check_callable(transform, 'transform')
    folder = _folder(name, root)
    data = _component(folder / f'{name}.npz')
    data.train_mask, data.val_mask, data.test_mask = _masks(
        folder / 'splits' / f'{name}_prognn_splits.json',
        data.num_nodes,
        'idx_train',
        'idx_val',
        'idx_test',
    )
    if attack is None:
        return SingleGraph(data, transform)
    path = _attacked(folder / attack, f'{name}_{attack}_adj', rate)
    edges = edges_of(data)
    others = edges if path is None else _edges(path, data.num_nodes)
    before, after = (pair_key(e, data.num_nodes) for e in (edges, others))
    added = others[:, ~torch.isin(after, before)]
    removed = edges[:, ~torch.isin(before, after)]
    data = change_graph(data, edges, added, removed)
    if attack == 'nettack':
        targets = folder / attack / f'{name}_nettacked_nodes.json'
        (data.test_mask,) = _masks(
            targets, data.num_nodes, 'attacked_test_nodes'
        )
    return SingleGraph(data, transform)


def _folder(name: str, root: str | Path | None) -> Path:
    root = data_folder(root)
    folders = []
    if root is not None:
        folders = [root / 'prognn', root.parent / 'prognn', root]
    for folder in folders:
        if (folder / f'{name}.npz').is_file():
            return folder
    looked = ' and no '.join(str(folder / f'{name}.npz') for folder in folders)
    raise FileNotFoundError(
        f"'{name}' could not be obtained: no {looked or f'{name}.npz'}. "
        f'{SOURCES}'
    )


def _component(path: Path) -> Data:
    r"""The largest component of a graph."""
    arrays = read_arrays(path)
    adj = as_matrix(arrays, path, 'adj_')
    labels = arrays.get('labels')
    num_nodes = adj.shape[0]
    if adj.shape != (num_nodes, num_nodes) or num_nodes == 0:
        raise ValueError(
            f"'{path}' must hold a square adjacency matrix, got shape "
            f'{list(adj.shape)}'
        )
    if (
        labels is None
        or labels.shape != (num_nodes,)
        or labels.dtype.kind not in 'iu'
    ):
        got = None if labels is None else f'{labels.dtype} {labels.shape}'
        raise ValueError(
            f"'{path}' must hold the class of each of {num_nodes} nodes as "
            f"int 'labels', got {got}"
        )
    data = Data(
        edge_index=_undirected(adj),
        y=torch.from_numpy(labels.astype(np.int64)),
        num_nodes=num_nodes,
    )
    if 'attr_data' in arrays:
        x = as_matrix(arrays, path, 'attr_')
        if x.shape[0] != num_nodes:
            raise ValueError(
                f"'{path}' must hold features of {num_nodes} nodes, got "
                f'those of {x.shape[0]}'
            )
        data.x = torch.from_numpy(x.toarray().astype(np.float32))
    return LargestConnectedComponents()(data)


def _undirected(adj: spmatrix) -> Tensor:
    index = np.stack(adj.nonzero()).astype(np.int64)
    edge_index, _ = remove_self_loops(torch.from_numpy(index))
    return to_undirected(edge_index, num_nodes=adj.shape[0])


def _attacked(folder: Path, stem: str, rate: float | None) -> Path | None:
    r"""The file of an attacked graph, or :obj:`None` for the clean one."""
    found: dict[float, Path] = {}
    for path in folder.glob(f'{stem}_*.npz'):
        number = re.fullmatch(r'\d+(\.\d+)?', path.stem[len(stem) + 1 :])
        if number:
            found[float(number[0])] = path
    if not found:
        raise FileNotFoundError(
            f'no {folder / stem}_*.npz of attacked graphs. {SOURCES}'
        )
    wanted = None if rate is None else check_nonnegative(rate, 'rate')
    if wanted == 0:
        return None
    if wanted is None or wanted not in found:
        raise ValueError(
            f"'rate' must be 0 or one of {sorted(found)}, those in "
            f"'{folder}', got {rate}"
        )
    return found[wanted]


def _edges(path: Path, num_nodes: int) -> Tensor:
    r"""The edges of an attacked graph, each once."""
    adj = as_matrix(read_arrays(path), path)
    if adj.shape != (num_nodes, num_nodes):
        raise ValueError(
            f"'{path}' must hold the adjacency matrix of the {num_nodes} "
            f'nodes of the largest component, got shape {list(adj.shape)}'
        )
    row, col = _undirected(adj)
    return torch.stack([row, col])[:, row < col]


def _masks(path: Path, num_nodes: int, *names: str) -> list[Tensor]:
    r"""The masks of lists of nodes in a JSON file."""
    if not path.is_file():
        raise FileNotFoundError(f'no {path}. {SOURCES}')
    try:
        lists = json.loads(path.read_text(encoding='utf-8'))
    except (RecursionError, ValueError) as error:
        raise ValueError(
            f"'{path}' must be a JSON file, got one that can't be read "
            f'({error})'
        ) from error
    out = []
    for name in names:
        nodes = lists.get(name) if isinstance(lists, dict) else None
        if not isinstance(nodes, list) or any(
            type(node) is not int or not 0 <= node < num_nodes
            for node in nodes
        ):
            raise ValueError(
                f"'{path}' must list nodes from 0 to {num_nodes - 1} as "
                f"'{name}', got {short(nodes)}"
            )
        mask = torch.zeros(num_nodes, dtype=torch.bool)
        mask[nodes] = True
        out.append(mask)
    return out
