import io
from pathlib import Path
from typing import Any

from torch_geometric_vgcn.datasets.read_csv import check_names, needed

#: What a Parquet file starts and ends with.
MARK = b'PAR1'


def is_parquet(content: bytes) -> bool:
    return content.startswith(MARK) and content.endswith(MARK)


def read_parquet(content: bytes, path: Path) -> dict[str, list[Any]]:
    r"""The columns of a Parquet file by name, but for an index of pandas that
    has none.
    """
    parquet = needed('pyarrow.parquet', path)
    try:
        table = parquet.ParquetFile(io.BytesIO(content)).read()
        check_names(table.column_names, 'table')
        columns = table.to_pydict()
    except Exception as error:  # of the package, of any kind
        raise ValueError(
            f"'{path}' must be a Parquet file that names each column "
            f"differently, got one that can't be read ({error})"
        ) from error
    return {
        name: cells
        for name, cells in columns.items()
        if not name.startswith('__index_level_')
    }
