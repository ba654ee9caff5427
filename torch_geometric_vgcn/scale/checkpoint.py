import json
import pickle
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch
import torch.distributed.checkpoint as dcp
from torch import Tensor
from torch.distributed.checkpoint import CheckpointException
from torch.distributed.checkpoint.metadata import Metadata
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard
from torch.nn import Module
from torch.optim import Optimizer

from torch_geometric_vgcn.scale.posterior import ShardedPosterior
from torch_geometric_vgcn.training.checkpoint import (
    check_epochs,
    check_same_run,
    not_written,
)
from torch_geometric_vgcn.utils import whole_file
from torch_geometric_vgcn.utils.ranks import Ranks

LATEST = 'latest.json'
# Lists that have one element per process:
PER_PROCESS = ('rng', 'device_rng')
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
    own logits (:mod:`torch.distributed.checkpoint`), and resumed from by any
    number of processes.

    Each state has a folder of its own. The file :obj:`latest.json` names the
    last one that is whole, and holds what is no tensor.

    Args:
        path (str or Path): The folder.
        fingerprint (Dict[str, str]): What determines the run's result.
        learner (torch.nn.Module): The learner.
        optimizers (List[Optimizer]): Its optimisers.
        ranks (Ranks): The processes that take part.
    """

    def __init__(
        self,
        path: str | Path,
        fingerprint: dict[str, str],
        learner: Module,
        optimizers: list[Optimizer],
        ranks: Ranks,
    ) -> None:
        self.path = Path(path)
        self.ranks, self.optimizers = ranks, optimizers
        self.sharded = {
            f'{name}.offset': module
            for name, module in learner.named_modules()
            if isinstance(module, ShardedPosterior)
        }
        # How many logits a process has isn't part of the run:
        self.fingerprint = {
            name: value
            for name, value in fingerprint.items()
            if name not in self.sharded
        }
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(
                f"'checkpoint' must be a folder, got the file {self.path}"
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise not_written(self.path, error) from error

    def load(self, device: torch.device, epochs: int) -> dict[str, Any] | None:
        r"""The saved state of a run of at most so many epochs, or :obj:`None`
        where there is none.
        """
        path = self.path / LATEST
        if not path.exists():
            return None
        with self._explained(path):
            latest = json.loads(path.read_text())
            there, folder = latest['fingerprint'], self.path / latest['folder']
            trained = int(latest['epochs'])
        check_same_run(self.path, there, self.fingerprint)
        check_epochs(self.path, trained, epochs)
        with self._explained(folder):
            reader = _Reader(folder)
            entries = reader.read_metadata().state_dict_metadata
            tensors: dict[str, Tensor] = {}
            for name, owner in latest['tensors'].items():
                entry: Any = entries[name]
                size, dtype = entry.size, entry.properties.dtype
                if owner is not None:
                    size = self.sharded[owner].offset.shape
                tensors[name] = torch.empty(size, dtype=dtype, device=device)
            dcp.load(
                self._shared_out(tensors, latest['tensors']),
                storage_reader=reader,
                no_dist=self.ranks.world == 1,
            )
            state = _unpacked(latest['state'], tensors)
            for name in PER_PROCESS:
                state[name] = state[name] * self.ranks.world
        return state

    def save(self, state: dict[str, Any], ranks: Ranks) -> None:
        r"""Adds a state, and removes those before. The old one stays whole
        until the new one is.
        """
        epochs = len(state['result']['history'])
        folder, first = f'epoch-{epochs:06d}', ranks.rank == 0
        state |= {name: state[name][:1] for name in PER_PROCESS}
        tensors: dict[str, Tensor] = {}
        packed = _packed(state, '', tensors)
        owners = {name: self._owner(name, tensors[name]) for name in tensors}
        if first:
            _remove(self.path / folder)
        ranks.wait()
        try:
            with warnings.catch_warnings():
                # That one process is enough is known:
                warnings.filterwarnings('ignore', 'torch.distributed is dis')
                dcp.save(
                    self._shared_out(tensors, owners),
                    checkpoint_id=str(self.path / folder),
                    no_dist=ranks.world == 1,
                )
            if first:
                about: dict[str, Any] = {
                    'fingerprint': self.fingerprint,
                    'folder': folder,
                    'epochs': epochs,
                    'tensors': owners,
                    'state': packed,
                }
                with whole_file(self.path / LATEST) as file:
                    file.write(json.dumps(about).encode())
        except OSError as error:
            raise not_written(self.path, error) from error
        if first:
            for old in self.path.glob('epoch-*'):
                if re.fullmatch(r'epoch-\d{6,}', old.name) and (
                    old.name != folder
                ):
                    _remove(old)

    def _owner(self, name: str, tensor: Tensor) -> str | None:
        r"""The parameter whose logits, or whose moments, a tensor of the
        state has.
        """
        for owner, posterior in self.sharded.items():
            moments = [
                value
                for optimizer in self.optimizers
                for value in optimizer.state.get(posterior.offset, {}).values()
            ]
            if name in (f'/learner/{owner}', f'/best/{owner}') or any(
                value is tensor and value.dim() == 1 for value in moments
            ):
                return owner
        return None

    def _shared_out(
        self, tensors: dict[str, Tensor], owners: dict[str, str | None]
    ) -> dict[str, Any]:
        r"""The tensors, those that are shared out as parts of a whole."""
        if self.ranks.world == 1:
            return dict(tensors)
        out: dict[str, Any] = {}
        for name, value in tensors.items():
            owner = owners[name]
            if owner is None:
                out[name] = value
                continue
            mesh = init_device_mesh(value.device.type, (self.ranks.world,))
            total = self.sharded[owner].total
            out[name] = DTensor.from_local(
                value.detach(),
                mesh,
                [Shard(0)],
                run_check=False,
                shape=torch.Size([total]),
                stride=(1,),
            )
        return out

    @contextmanager
    def _explained(self, path: Path) -> Iterator[None]:
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings('ignore', 'torch.distributed is dis')
                yield
        # PyTorch's own is a BaseException:
        except (Exception, CheckpointException) as error:
            raise ValueError(
                f"'checkpoint' {path} can't be read, it is damaged or was not "
                'written by fit with StoredClusters: remove the folder to '
                f'start again ({type(error).__name__}: {error})'
            ) from error


def _packed(value: Any, name: str, tensors: dict[str, Tensor]) -> Any:
    r"""A state as JSON, whose tensors are put aside by their names."""
    if isinstance(value, Tensor):
        tensors[name] = value
        return {'tensor': name}
    if isinstance(value, dict):
        return {
            'dict': [
                [key, _packed(part, f'{name}/{key}', tensors)]
                for key, part in value.items()
            ]
        }
    if isinstance(value, (list, tuple)):
        return [
            _packed(part, f'{name}/{place}', tensors)
            for place, part in enumerate(value)
        ]
    return value


def _unpacked(value: Any, tensors: dict[str, Tensor]) -> Any:
    if isinstance(value, list):
        return [_unpacked(part, tensors) for part in value]
    if not isinstance(value, dict):
        return value
    if 'tensor' in value:
        return tensors[value['tensor']]
    return {key: _unpacked(part, tensors) for key, part in value['dict']}


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
