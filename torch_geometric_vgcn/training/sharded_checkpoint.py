import json
import pickle
import re
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
import torch.distributed.checkpoint as dcp
from torch import Tensor
from torch.distributed.checkpoint import CheckpointException
from torch.distributed.checkpoint.metadata import (
    Metadata,
    TensorStorageMetadata,
)

from torch_geometric_vgcn.training.checkpoint import check_same_run
from torch_geometric_vgcn.utils.ranks import Ranks

LATEST = 'latest.json'
# What the description of a state is made of:
METADATA = 'torch.distributed.checkpoint.metadata'
KNOWN = {
    ('torch', 'Size'),
    ('torch.serialization', '_get_layout'),
    ('torch.distributed.checkpoint.filesystem', '_StorageInfo'),
    (METADATA, 'Metadata'),
    (METADATA, 'TensorStorageMetadata'),
    (METADATA, 'TensorProperties'),
    (METADATA, '_MEM_FORMAT_ENCODING'),
    (METADATA, 'ChunkStorageMetadata'),
    (METADATA, 'MetadataIndex'),
    (METADATA, 'StorageMeta'),
    (type(Path()).__module__, type(Path()).__name__),
}


class ShardedCheckpoint:
    r"""A folder that a run of several processes is saved to, each writing its
    own part (:mod:`torch.distributed.checkpoint`), and resumed from by any
    number of processes.

    Each state has a folder of its own, and the file :obj:`latest.json` names
    the last one that is whole.

    Args:
        path (str or Path): The folder.
        fingerprint (Dict[str, str]): What determines the run's result.
        ranks (Ranks): The processes that take part.
    """

    def __init__(
        self, path: str | Path, fingerprint: dict[str, str], ranks: Ranks
    ) -> None:
        self.path = Path(path)
        self.fingerprint = fingerprint
        self.ranks = ranks
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(
                f"'checkpoint' must be a folder, got the file {self.path}"
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OSError(
                f"'checkpoint' {self.path} can't be written: {error}"
            ) from error

    def latest(self) -> dict[str, Any] | None:
        r"""What is known of the last state, or :obj:`None`."""
        path = self.path / LATEST
        if not path.exists():
            return None
        try:
            latest = json.loads(path.read_text())
            there, folder = latest['fingerprint'], latest['folder']
            if not (self.path / folder / '.metadata').exists():
                raise ValueError(f'{folder} is missing')
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"'checkpoint' {path} can't be read, it is damaged or was not "
                f'written by fit_partitioned: remove the folder to start '
                f'again ({type(error).__name__}: {error})'
            ) from error
        check_same_run(self.path, there, self.fingerprint)
        return latest

    def load(
        self, latest: dict[str, Any], prefixes: tuple[str, ...]
    ) -> dict[str, Tensor]:
        r"""The tensors of a state whose names start with one of some
        prefixes, read by this process.
        """
        folder = self.path / latest['folder']
        try:
            reader = _Reader(folder)
            entries = reader.read_metadata().state_dict_metadata
            state = {
                name: torch.empty(entry.size, dtype=entry.properties.dtype)
                for name, entry in entries.items()
                if name.startswith(prefixes)
                and isinstance(entry, TensorStorageMetadata)
            }
            with warnings.catch_warnings():
                warnings.filterwarnings('ignore', 'torch.distributed is dis')
                alone = self.ranks.world == 1
                dcp.load(state, storage_reader=reader, no_dist=alone)
        # PyTorch's own is a BaseException:
        except (Exception, CheckpointException) as error:
            raise ValueError(
                f"'checkpoint' {folder} can't be read, it is damaged or was "
                'not written by fit_partitioned: remove the folder to start '
                f'again ({type(error).__name__}: {error})'
            ) from error
        return state

    def save(
        self, epoch: int, tensors: dict[str, Tensor], about: dict[str, Any]
    ) -> None:
        r"""Adds a state, and removes those before. The old one stays whole
        until the new one is.

        Args:
            epoch (int): The epoch, which names the state.
            tensors (Dict[str, Tensor]): What this process has. Tensors of the
                same name are the same in all processes.
            about (Dict[str, Any]): All else, plain values.
        """
        folder, first = f'epoch-{epoch:06d}', self.ranks.rank == 0
        if first:
            _remove(self.path / folder)
        self.ranks.wait()
        try:
            with warnings.catch_warnings():
                # That one process is enough is known:
                warnings.filterwarnings('ignore', 'torch.distributed is dis')
                dcp.save(
                    tensors,
                    checkpoint_id=str(self.path / folder),
                    no_dist=self.ranks.world == 1,
                )
            if first:
                about = {'fingerprint': self.fingerprint, **about}
                part = self.path / f'{LATEST}.part'
                part.write_text(json.dumps({'folder': folder, **about}))
                part.replace(self.path / LATEST)
        except OSError as error:
            raise OSError(
                f"'checkpoint' {self.path} can't be written: {error} (what "
                'was saved before is whole)'
            ) from error
        if first:
            for old in self.path.glob('epoch-*'):
                if re.fullmatch(r'epoch-\d{6,}', old.name) and (
                    old.name != folder
                ):
                    _remove(old)


def _remove(folder: Path) -> None:
    r"""Removes a state, but no other files."""
    for name in ('*.distcp', '.metadata', '.metadata.tmp'):
        for file in folder.glob(name):
            file.unlink()
    with suppress(OSError):  # it isn't there, or holds other files
        folder.rmdir()


class _Reader(dcp.FileSystemReader):
    r"""A reader that builds nothing but a description of tensors from the
    pickle that PyTorch writes beside them.
    """

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        with open(Path(self.path) / '.metadata', 'rb') as file:
            metadata = _Metadata(file).load()
        if metadata.storage_meta is not None:
            metadata.storage_meta.load_id = self.load_id
        return metadata


class _Metadata(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        kind = module == 'torch' and isinstance(
            getattr(torch, name, None), torch.dtype
        )
        if not kind and (module, name) not in KNOWN:
            raise pickle.UnpicklingError(
                f"'checkpoint' must not name {module}.{name}"
            )
        return super().find_class(module, name)
