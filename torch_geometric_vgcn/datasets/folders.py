import os
from pathlib import Path

from torch_geometric import get_home_dir

from torch_geometric_vgcn.utils import check_path


def data_folder(root: str | Path | None) -> Path | None:
    r"""The folder of raw files: :obj:`root`, or that of the environment
    variable :obj:`VGCN_DATA`.
    """
    if root is None or (isinstance(root, str) and not root):
        root = os.environ.get('VGCN_DATA') or None
    return None if root is None else check_path(root, 'root')


def cache_folder(cache: str | Path | None) -> Path:
    r"""The folder to keep downloads in: :obj:`cache`, or :obj:`vgcn` in PyG's
    home folder.
    """
    if cache is None:
        return Path(get_home_dir()) / 'vgcn'
    return check_path(cache, 'cache')
