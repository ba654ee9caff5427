r"""Calls of the data sets, but for downloads."""

import json
from pathlib import Path

import numpy as np
import torch

from fuzzing.case import Case, target
from fuzzing.values import wrong
from torch_geometric_vgcn.datasets import (
    from_table,
    newsgroups,
    planetoid,
    polblogs,
    prognn,
    uci,
)

CELLS = ('1', '2.5', 'a', 'b', 'NA', '?', '', ' nan ', 'inf', '"', 'é', '\t')


def table(case: Case) -> object:
    r"""Columns, or a file of them."""
    rows = case.random.randint(1, 5)
    columns = {
        'kind': ['a', 'b', 'a', 'b', 'NA'][:rows],
        'size': [1, 2.5, 3, 4, 5][:rows],
        'place': ['x', 'x', 'y', 'x', 'y'][:rows],
    }
    for column in columns.values():
        for row in range(rows):
            if case.maybe(case.wrongness / 4):
                own = case.one_of(*CELLS)
                column[row] = own if case.maybe() else wrong(case.random)
    if case.maybe():
        return columns
    lines = [','.join(columns)]
    lines += [
        ','.join(map(str, row)) for row in zip(*columns.values(), strict=True)
    ]
    text = case.one_of('\n', '\r\n').join(lines) + case.one_of('', '\n\n')
    encoding = case.one_of('utf-8', 'utf-8-sig', 'utf-16', 'latin-1')
    file = Path('table.csv')
    file.write_bytes(text.encode(encoding, errors='replace'))
    return case.one_of(file, str(file))


@target('from_table')
def tables(case: Case) -> None:
    data = case.call(
        from_table,
        case.arg(table(case)),
        case.arg('kind'),
        **case.kwargs(
            drop=case.one_of((), 'size', ['place']),
            standardize=case.maybe(),
            encoding=case.one_of('utf-8', 'utf-16', 'latin-1'),
        ),
    )
    case.check(bool(data.x.isfinite().all()), 'finite features')
    case.check(torch.equal(data.train_mask, data.y >= 0), 'train_mask')
    case.check(int(data.y.max()) < len(data.class_names), 'labels')


@target('uci')
def sklearn_sets(case: Case) -> None:
    transform = case.arg(None)
    if callable(transform):
        transform = None  # what it does is the caller's own
    found = case.call(uci, case.arg('Wine'), transform, **case.kwargs(seed=1))
    case.check(bool(found[0].x.isfinite().all()), 'finite features')


@target('polblogs')
def blogs(case: Case) -> None:
    edges, y = np.array([[0, 1, 2], [1, 2, 0]]), np.array([0, 1, 0])
    if case.maybe(case.wrongness):
        edges = case.one_of(edges[0], edges - 1, edges.astype(float), edges.T)
    if case.maybe(case.wrongness):
        y = case.one_of(y[:2], y.astype(str), y.astype(object), y[:, None])
    Path('blogs').mkdir()
    np.savez('blogs/polblogs.npz', edge_index=edges, y=y)
    if case.maybe(0.1):
        Path('blogs/polblogs.npz').write_bytes(b'broken')
    root = case.arg('blogs')
    if root is None or isinstance(root, (str, Path)):
        root = 'blogs'  # others would be downloaded
    data = case.call(polblogs, root, cache='cache')[0]
    case.check_edges(data.edge_index, data.num_nodes)


@target('prognn')
def attacked(case: Case) -> None:
    names = ('data', 'indices', 'indptr', 'shape')
    matrix = {
        'data': np.ones(4),
        'indices': np.array([1, 0, 2, 1]),
        'indptr': np.array([0, 1, 3, 4]),
        'shape': np.array([3, 3]),
    }
    clean = {f'adj_{name}': matrix[name] for name in names}
    clean['labels'] = np.array([0, 1, 0])
    for arrays in (matrix, clean):
        for name, array in arrays.items():
            if case.maybe(case.wrongness / 4):
                arrays[name] = case.one_of(
                    array[:1], array - 1, array.astype(str), array[None]
                )
    split = {
        f'idx_{part}': case.arg([node])
        for part, node in zip(('train', 'val', 'test'), range(3), strict=True)
    }
    for folder in ('prognn/meta', 'prognn/splits'):
        Path(folder).mkdir(parents=True)
    np.savez('prognn/cora.npz', **clean)
    np.savez('prognn/meta/cora_meta_adj_0.5.npz', **matrix)
    file = Path('prognn/splits/cora_prognn_splits.json')
    file.write_text(json.dumps(split, default=str))
    data = case.call(
        prognn,
        case.arg('cora'),
        case.arg('meta'),
        case.arg(0, 0.5),
        root=case.arg('prognn', '.'),
    )[0]
    case.check_edges(data.edge_index, data.num_nodes)


@target('planetoid', 'newsgroups')
def downloads(case: Case) -> None:
    r"""Only what is refused before anything is downloaded."""
    if case.maybe():
        case.call(planetoid, wrong(case.random))
    else:
        case.call(newsgroups, seed=case.one_of(None, 'abc', 0.5, 10**30))
    case.check(False, 'refused')
