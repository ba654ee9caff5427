import os
import secrets
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copymode
from typing import Any, BinaryIO

import torch


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    r"""A file to write, which appears whole or not at all: it is written
    beside, and takes its place at the end. After an error or an interruption
    all is as before.

    A link stays a link to what is replaced. What is no regular file, such as
    :obj:`/dev/stdout`, is written to.

    Args:
        path (str or Path): The file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with target.open('wb') as file:
            yield file
        return
    part = part_of(target)
    try:
        file = part.open('xb')
    except OSError as error:  # of a name that nobody has heard of
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            copymode(target, part)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def read_tensors(path: str | Path, device: Any = 'cpu') -> Any:
    r"""What :func:`torch.save` has written, without pickled objects. Whatever
    is wrong with the file but that it can't be opened is a
    :class:`ValueError`.
    """
    with open(path, 'rb') as file:
        try:
            # PyTorch itself doesn't look at the checksums in the file:
            with zipfile.ZipFile(file) as parts:
                damaged = parts.testzip()
            if damaged is not None:
                raise zipfile.BadZipFile(f'bad checksum of {damaged}')
            file.seek(0)
            return torch.load(file, weights_only=True, map_location=device)
        except Exception as error:  # whatever a foreign file may cause
            raise ValueError(f'{type(error).__name__}: {error}') from error


def part_of(target: Path) -> Path:
    r"""A new name beside a file, for what is not yet whole."""
    return target.with_name(f'.{secrets.token_hex(8)}.part')


def check_writable(path: str | Path) -> None:
    r"""Raises an :class:`OSError` where :func:`whole_file` would."""
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            if target.is_dir() or not os.access(target, os.W_OK):
                target.open('wb')
        else:
            part = part_of(target)
            part.open('xb').close()
            part.unlink()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def same_file(one: str | Path, other: str | Path) -> bool:
    r"""Whether two paths name one file, through links or by other spellings,
    also if it isn't there yet.
    """
    try:
        return os.path.samefile(one, other) and os.path.isfile(one)
    except OSError:
        first, second = (
            os.path.normcase(os.path.realpath(path)) for path in (one, other)
        )
        return first == second
