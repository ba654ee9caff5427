import os
from pathlib import Path
from typing import Any

import torch

from torch_geometric_vgcn.training.fingerprint import differences
from torch_geometric_vgcn.utils import (
    check_writable,
    read_tensors,
    whole_file,
)
from torch_geometric_vgcn.utils.ranks import Ranks

SHOWN = 5  # how many differences a message lists


class Checkpoint:
    r"""The file that a run is saved to, and resumed from.

    Args:
        path (str or Path): The file.
        fingerprint (Dict[str, str]): What determines the run's result. The
            file of a run with another one is refused.
    """

    keys = {
        'fingerprint', 'learner', 'terms', 'optimizers', 'batches', 'best',
        'result', 'rng', 'device_rng',
    }  # fmt: skip

    def __init__(self, path: str | Path, fingerprint: dict[str, str]) -> None:
        self.path = Path(path)
        self.fingerprint = fingerprint
        if os.path.isdir(self.path):
            raise ValueError(
                f"'checkpoint' must be a file, got the folder {self.path}"
            )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            check_writable(self.path)
        except (OSError, ValueError) as error:
            raise not_written(self.path, error) from error

    def load(self, device: torch.device, epochs: int) -> dict[str, Any] | None:
        r"""The saved state of a run of at most so many epochs, or :obj:`None`
        where there is no file.
        """
        if not self.path.exists():
            return None
        try:
            state = read_tensors(self.path, device)
        except ValueError as error:
            raise ValueError(
                f"'checkpoint' {self.path} can't be read, it is damaged or "
                f'was not written by fit: remove it to start again ({error})'
            ) from error
        if not isinstance(state, dict) or set(state) != self.keys:
            raise ValueError(
                f"'checkpoint' {self.path} was not written by fit, or by "
                'another version of it: remove it to start again, or choose '
                'another file'
            )
        check_same_run(self.path, state['fingerprint'], self.fingerprint)
        check_epochs(self.path, len(state['result']['history']), epochs)
        return state

    def save(self, state: dict[str, Any], ranks: Ranks) -> None:
        r"""Replaces the file by another state, in the first process. The old
        one stays whole until the new one is.
        """
        if ranks.rank > 0:
            return
        try:
            with whole_file(self.path) as file:
                torch.save({'fingerprint': self.fingerprint, **state}, file)
        except (OSError, RuntimeError) as error:
            raise not_written(self.path, error) from error


def not_written(path: Path, error: Exception) -> OSError:
    r"""The error of a checkpoint that can't be written."""
    return OSError(
        f"'checkpoint' {path} can't be written: {error} (what was saved "
        'before is whole)'
    )


def check_same_run(
    path: Path, there: dict[str, str], here: dict[str, str]
) -> None:
    r"""Raises an error if the fingerprint of a checkpoint isn't that of this
    run.
    """
    found = differences(there, here)
    if found:
        more = len(found) - SHOWN
        rest = f'; and {more} more' if more > 0 else ''
        raise ValueError(
            f"'checkpoint' {path} is of another run: "
            f'{"; ".join(found[:SHOWN])}{rest}: give the same arguments, '
            'or remove it to start again'
        )


def check_epochs(path: Path, trained: int, epochs: int) -> None:
    r"""Raises an error if a checkpoint has more epochs than wanted."""
    if trained > epochs:
        raise ValueError(
            f"'epochs' must be at least {trained}, which 'checkpoint' {path} "
            f'has already, got {epochs}: raise it, or remove the file to '
            'start again'
        )
