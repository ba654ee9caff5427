import csv
from pathlib import Path

import numpy as np


def read_keel(path: Path) -> tuple[list[str], np.ndarray]:
    r"""The names of the columns, if the file has them, and the cells of a
    table in the format of the KEEL repository, as texts.
    """
    names, rows = [], []
    with path.open(encoding='utf-8', newline='') as file:
        for cells in csv.reader(file, skipinitialspace=True):
            if not cells:
                continue
            if cells[0].startswith('@'):
                word, *rest = cells[0].split()
                names += rest[:1] if word.lower() == '@attribute' else []
            else:
                rows.append([cell.strip() for cell in cells])
    return names, np.array(rows, dtype=object)
