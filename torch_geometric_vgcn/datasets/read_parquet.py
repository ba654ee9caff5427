import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch_geometric_vgcn.datasets.read_csv import check_names

#: What a Parquet file starts and ends with.
MARK = b'PAR1'


def is_parquet(content: bytes) -> bool:
    return content.startswith(MARK) and content.endswith(MARK)


def read_parquet(content: bytes, path: Path) -> dict[str, list[Any]]:
    r"""The columns of a Parquet file by name, but for an index of pandas that
    has none. Reads with PyArrow or polars, whichever is installed; pandas
    would need one of them, too.
    """
    for read in (_by_pyarrow, _by_polars):
        try:
            columns = _explained(read, content, path)
        except ImportError:
            continue
        return {
            name: cells
            for name, cells in columns.items()
            if not name.startswith('__index_level_')
        }
    raise ImportError(
        f"'{path}' is a Parquet file, which needs the package polars or "
        "pyarrow: pip install 'torch_geometric_vgcn[parquet]'"
    )


def _explained(
    read: Callable[[io.BytesIO], dict[str, list[Any]]],
    content: bytes,
    path: Path,
) -> dict[str, list[Any]]:
    try:
        return read(io.BytesIO(content))
    except ImportError:
        raise
    except Exception as error:  # of the package, of any kind
        raise ValueError(
            f"'{path}' must be a Parquet file that names each column "
            f"differently, got one that can't be read ({error})"
        ) from error


def _by_pyarrow(file: io.BytesIO) -> dict[str, list[Any]]:
    from pyarrow import parquet

    table = parquet.read_table(file)
    check_names(table.column_names, 'table')
    return table.to_pydict()


def _by_polars(file: io.BytesIO) -> dict[str, list[Any]]:
    import polars

    return polars.read_parquet(file).to_dict(as_series=False)
