from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.datasets import PolBlogs
from torch_geometric.transforms import LargestConnectedComponents
from torch_geometric.utils import remove_self_loops, to_undirected

from torch_geometric_vgcn.datasets.folders import cache_folder, data_folder
from torch_geometric_vgcn.datasets.read_arrays import read_arrays
from torch_geometric_vgcn.datasets.single_graph import SingleGraph
from torch_geometric_vgcn.utils import check_callable, check_edge_index

FILE = 'polblogs.npz'


def polblogs(
    root: str | Path | None = None,
    transform: Callable | None = None,
    cache: str | Path | None = None,
) -> SingleGraph:
    r"""The largest component of the political blogs (Adamic and Glance, 2005)
    as an undirected graph without self-loops: 1,222 nodes, 16,714 edges, two
    classes, and an identity matrix, in sparse form, as features.

    It comes from the first place that has it: the file :obj:`polblogs.npz`
    (with :obj:`edge_index` of shape :obj:`[2, E]` and :obj:`y`) in
    :obj:`root` or in the folder above, or PyG's
    :class:`~torch_geometric.datasets.PolBlogs`, which downloads it and needs
    pandas. There is no split yet: see
    :class:`~torch_geometric_vgcn.transforms.StratifiedSplit`.

    Args:
        root (str or Path, optional): A folder that holds, or stands beside,
            the file. (default: the environment variable :obj:`VGCN_DATA`)
        transform (callable, optional): A PyG transform.
            (default: :obj:`None`)
        cache (str or Path, optional): The folder to keep a download in.
            (default: :obj:`vgcn` in PyG's home folder)
    """
    check_callable(transform, 'transform')
    root = data_folder(root)
    folders = [] if root is None else [root, root.parent]
    for folder in folders:
        if (folder / FILE).is_file():
            return SingleGraph(_from_file(folder / FILE), transform)
    try:
        data = _from_pyg(cache_folder(cache) / 'PolBlogs')
    except (ImportError, OSError) as error:
        looked = [str(folder / FILE) for folder in folders]
        raise FileNotFoundError(
            'Polblogs could not be obtained: no '
            f'{" and no ".join(looked) or FILE}'
            f", and PyG's download failed ({type(error).__name__}: {error}). "
            f'Put {FILE} into SOME_FOLDER and set VGCN_DATA=SOME_FOLDER (or '
            "pass it as 'root'), or install pandas for PyG's download."
        ) from error
    return SingleGraph(data, transform)


def _from_file(path: Path) -> Data:
    arrays = read_arrays(path)
    if not {'edge_index', 'y'} <= set(arrays):
        raise ValueError(
            f"'{path}' must hold the arrays 'edge_index' and 'y', got "
            f'{list(arrays)}'
        )
    edge_index, y = arrays['edge_index'], arrays['y']
    whole = y.dtype.kind in 'iu' and edge_index.dtype.kind in 'iu'
    if y.ndim != 1 or not whole:
        raise ValueError(
            f"'{path}' must hold the class of each node as int 'y' and node "
            f"ids as int 'edge_index', got {y.dtype} of shape "
            f'{list(y.shape)} and {edge_index.dtype}'
        )
    index = torch.from_numpy(edge_index.astype(np.int64))
    check_edge_index(index, y.size, 'edge_index', loops=True)
    return _graph(index, torch.from_numpy(y.astype(np.int64)))


def _from_pyg(folder: Path) -> Data:
    r"""PyG downloads and processes elsewhere, so that an interruption leaves
    no half of a file that a later call would take for whole.
    """
    if not (folder / 'processed').exists():
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as scratch:
            own = Path(scratch, folder.name)
            copytree(folder, own)
            PolBlogs(str(own))
            for name in ('raw', 'processed'):
                with suppress(OSError):  # it is there already
                    (own / name).rename(folder / name)
    data = PolBlogs(str(folder))[0]
    data.num_nodes = data.y.numel()  # also where the last have no link
    data = LargestConnectedComponents()(data)
    return _graph(data.edge_index, data.y)


def _graph(edge_index: Tensor, y: Tensor) -> Data:
    num_nodes = y.numel()
    edge_index, _ = remove_self_loops(edge_index)
    return Data(
        x=torch.eye(num_nodes).to_sparse(),
        edge_index=to_undirected(edge_index, num_nodes=num_nodes),
        y=y,
    )
