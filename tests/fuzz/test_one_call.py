r"""What users give to the one call, the estimators and the command: a graph,
features and labels in any form. Right ones give the documented result, and
others a ValueError or TypeError that names the argument.

The long run: see ``test_calls.py``.
"""

import re
from contextlib import redirect_stderr
from io import StringIO

import networkx
import numpy as np
import pandas
import polars
import pytest
import scipy.sparse
import torch
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.transforms import ToSparseTensor

from torch_geometric_vgcn import VGCN
from torch_geometric_vgcn.__main__ import main
from torch_geometric_vgcn.datasets import from_table
from torch_geometric_vgcn.estimators import (
    LabelledKFold,
    VGCNClassifier,
    VGCNNodeClassifier,
    VGCNRegressor,
    transductive_scores,
)
from torch_geometric_vgcn.recipe import (
    Counts,
    Effort,
    FixedMember,
    LearnedMember,
    Measurements,
    TaughtMember,
    gcn,
    given_graph,
    graph_sage,
    more_neighbors,
    nearest_neighbors,
    no_graph,
    propagated_mlp,
    table_members,
)

# Each of these trains several networks:
FEWER = settings(max_examples=max(4, settings().max_examples // 8))
SHORT = Effort(2, 1, warmup=1, folds=2, runs=1, num_samples=2)
QUICK = {'trust': 0.5, 'max_iter': 2, 'hidden': 4, 'random_state': 0}
SIZES = st.sampled_from([1, 0, 1e-30, 1e6, 1e30, 1e200, -1.7e308])
SEEDS = st.integers(0, 2**32 - 1)


CONTAINERS = {
    'array': np.asarray,
    'single': lambda x: x.astype(np.float32),
    'integers': lambda x: x.clip(-9, 9).astype(int),
    'list': lambda x: x.tolist(),
    'CSR': scipy.sparse.csr_array,
    'COO': scipy.sparse.coo_array,
    'pandas': pandas.DataFrame,
    'polars': polars.DataFrame,
    'tensor': torch.from_numpy,
    'sparse tensor': lambda x: torch.from_numpy(x).to_sparse(),
}
FORMS = {
    'edges': lambda e, n: torch.from_numpy(e),
    'array': lambda e, n: e,
    'pairs': lambda e, n: [tuple(pair) for pair in e.T.tolist()],
    'pandas': lambda e, n: pandas.DataFrame(e.T, columns=['a', 'b']),
    'polars': lambda e, n: polars.DataFrame(e.T, schema=['a', 'b']),
    'CSR': lambda e, n: matrix(e, n).tocsr(),
    'COO': lambda e, n: matrix(e, n),
    'sparse': lambda e, n: torch.from_numpy(
        matrix(e, n).toarray()
    ).to_sparse(),
    'networkx': lambda e, n: nodes(e, n),
}


def matrix(e, n):
    made = scipy.sparse.coo_array((np.ones(e.shape[1]), e), (n, n))
    return (made.tocsr() > 0).astype(float).tocoo()


def nodes(e, n):
    made = networkx.empty_graph(n)
    made.add_edges_from(e.T.tolist())
    return made


@st.composite
def tables(draw, least=6):
    r"""Features, labels (-1: unknown) and a list of edges, all right."""
    n = draw(st.integers(least, 16))
    rng = np.random.default_rng(draw(SEEDS))
    y = np.arange(n) % 2
    x = rng.normal(size=(n, 3)) + y[:, None]
    kind = draw(st.sampled_from(['real', 'whole', 'constant', 'zero']))
    if kind == 'whole':
        x = rng.poisson(2, size=(n, 3)).astype(float)
    elif kind == 'constant':
        x[:, 1] = 5
    elif kind == 'zero':
        x[:] = 0
    known = rng.random(n) < 0.7
    known[:4] = True
    e = rng.integers(n, size=(2, 2 * n))
    return x, np.where(known, y, -1), e[:, e[0] != e[1]]


@st.composite
def wrong_tables(draw):
    r"""The same with one thing that is wrong, and the arguments that an error
    may name; or that is only odd, and then none.
    """
    x, y, e = draw(tables())
    n = len(y)
    wrong = draw(
        st.sampled_from(
            [
                (None, None),
                ('X', lambda: x[:-1]),
                ('X', lambda: x[:, :0]),
                ('X', lambda: x[0]),
                ('X', lambda: x.astype(str)[:, :1] + 'a'),
                ('X', lambda: np.where(x == x.max(), np.nan, x)),
                ('X', lambda: np.where(x == x.max(), np.inf, x)),
                ('X', lambda: None),
                ('y', lambda: y[:-1]),
                ('y', lambda: np.full(n, -1)),
                ('y', lambda: np.zeros((n, 2))),
                ('y', lambda: None),
                ('graph', lambda: e + n),
                ('graph', lambda: e - n),
                ('graph', lambda: e.astype(float)),
                ('graph', lambda: e[:1]),
                ('graph', lambda: 'abc'),
                ('graph', lambda: 0.5 * matrix(e, n)),
                ('graph', lambda: matrix(e, n)[:2]),
            ]
        )
    )
    name, value = wrong
    given = {'X': x, 'y': y, 'graph': e}
    if name is not None:
        given[name] = value()
    return given, name


def check_probs(prob, shape):
    prob = np.asarray(prob, dtype=float)
    assert prob.shape == shape and (prob >= 0).all() and (prob <= 1).all()
    assert np.allclose(prob.sum(axis=1), 1)


def data_of(x, y, e):
    return Data(
        x=torch.from_numpy(x).float(),
        y=torch.from_numpy(y),
        edge_index=torch.from_numpy(e),
    )


def model_of(data, kind, **options):
    members = [
        FixedMember('no graph', no_graph),
        LearnedMember('given', given_graph, rho1=0.9),
        LearnedMember('near', nearest_neighbors),
        TaughtMember('taught', given_graph, steps=2, hidden=4),
        FixedMember('more', more_neighbors),
    ]
    if kind is None:
        members = table_members(given=True, trust=0.5, steps=2, hidden=4)
    else:
        options['features'] = kind()
    options = {'members': members, 'effort': SHORT, **options}
    return VGCN(data, progress=False, **options)


@pytest.mark.filterwarnings('ignore')
@FEWER
@given(
    tables(),
    st.sampled_from(sorted(FORMS)),
    st.sampled_from([None, Counts, Measurements]),
    st.sampled_from([None, gcn, graph_sage, propagated_mlp]),
    SEEDS,
)
def test_one_call(tmp_path_factory, table, form, kind, network, seed):
    x, y, e = table
    n, data = len(y), data_of(*table)
    del data.edge_index
    options = {'seed': seed, 'network': network}
    made = model_of(data, kind, graph=FORMS[form](e, n), **options).fit()
    prob = made.predict()
    check_probs(prob, (n, 2))
    check_probs(made.predict(data.x[:2]), (2, 2))
    assert sum(made.weights_.values()) == pytest.approx(1)
    learned = made.learned_graph(0.0)
    assert (learned.edge_prob <= 1).all() and learned.num_nodes == n
    # The same seed and graph, whatever holds it:
    path = tmp_path_factory.mktemp('one') / 'model'
    again = model_of(data_of(*table), kind, **options).fit(checkpoint=path)
    assert torch.equal(again.predict(), prob)
    given_ = {'network': network, 'members': again.members}
    if kind is not None:
        given_['features'] = kind()
    loaded = VGCN.load(path, data_of(*table), **given_)
    assert torch.equal(loaded.predict(), prob)
    page = made.report(path.with_suffix('.html')).read_text(encoding='utf-8')
    assert page.endswith('</html>\n')


@pytest.mark.filterwarnings('ignore')
@FEWER
@given(wrong_tables(), st.sampled_from([VGCNClassifier, VGCNRegressor]))
def test_wrong_arguments_of_estimators_are_named(table, kind):
    given_, name = table
    if kind is VGCNRegressor and name != 'y':
        y = np.asarray(given_['y'], dtype=float)
        given_['y'] = np.where(y < 0, np.nan, y)
    note(f'{name}: {given_.get(name)}')
    if name is None:
        kind(**QUICK).fit(**given_)
        return
    with pytest.raises((ValueError, TypeError)) as error:
        kind(**QUICK).fit(**given_)
    # One row less of one is one row more of another:
    assert re.search(r"\b[Xy]\b|'graph'|samples|feature", str(error.value))


@pytest.mark.filterwarnings('ignore')
@FEWER
@given(
    tables(),
    st.sampled_from(sorted(CONTAINERS)),
    st.sampled_from(sorted(FORMS)),
    SIZES,
)
def test_estimators(table, container, form, size):
    x, y, e = table
    hold, n = CONTAINERS[container], len(y)
    with np.errstate(over='ignore'):
        x = x * size
    assume(np.isfinite(x).all())
    if container in ('single', 'integers'):
        x = x.clip(-1e30, 1e30)
    given_ = hold(x)
    clf = VGCNClassifier(**QUICK)
    clf.fit(given_, y, graph=FORMS[form](e, n))
    check_probs(clf.label_distributions_, (n, 2))
    check_probs(clf.predict_proba(hold(x[:2])), (2, 2))
    assert set(clf.predict(hold(x))) <= {0, 1}
    assert (clf.transduction_[y >= 0] == y[y >= 0]).all()
    again = VGCNClassifier(**QUICK).fit(given_, y, graph=e)
    assert (again.label_distributions_ == clf.label_distributions_).all()
    known = np.where(y < 0, np.nan, y + np.arange(n) / n)
    reg = VGCNRegressor(**QUICK).fit(given_, known, graph=e)
    mean, std = reg.predict(hold(x[:2]), return_std=True)
    assert np.isfinite(mean).all() and (std >= 0).all()


@pytest.mark.filterwarnings('ignore')
@FEWER
@given(tables(8), SEEDS)
def test_nodes_and_folds(table, seed):
    x, y, e = table
    data = data_of(x, y, e)
    expected = VGCNNodeClassifier(**QUICK).fit(data)
    label, prob = expected.predict(return_prob=True)
    check_probs(prob, (len(y), 2))
    held = ToSparseTensor()(data_of(x, y, e))
    found = VGCNNodeClassifier(**QUICK).fit(held).predict(return_prob=True)
    assert torch.equal(found[1], prob) and torch.equal(found[0], label)
    cv = LabelledKFold(2, random_state=seed)
    for train, test in cv.split(x, y):
        assert not set(train) & set(test) and (y[test] >= 0).all()
    scores = transductive_scores(VGCNClassifier(**QUICK), x, y, cv=cv)
    assert ((scores >= 0) & (scores <= 1)).all()


CELLS = st.sampled_from(
    ['1', '2.5', 'a', 'NA', '?', '', ' nan ', 'inf', '"', 'é', '\t', '<b>']
) | st.text(max_size=5)


@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=8),
    st.sampled_from(['utf-8', 'utf-8-sig', 'utf-16', 'latin-1']),
    st.sampled_from(['utf-8', 'utf-16', 'latin-1']),
    st.booleans(),
)
def test_tables_in_files(tmp_path_factory, rows, written, read, fill):
    path = tmp_path_factory.mktemp('table') / 'mine.csv'
    lines = ['kind,size,place', 'a,1,x', 'b,2,y', *map(','.join, rows)]
    path.write_bytes('\n'.join(lines).encode(written, errors='replace'))
    try:
        data = from_table(path, 'kind', encoding=read, fill=fill)
    except (ValueError, TypeError) as error:
        assert "'" in str(error)
        return
    assert data.x.isfinite().all() and data.y.max() < len(data.class_names)
    assert torch.equal(data.train_mask, data.y >= 0)


@pytest.mark.filterwarnings('ignore')
@settings(FEWER, max_examples=FEWER.max_examples // 2)
@given(rows=st.lists(CELLS, min_size=12, max_size=12), fill=st.booleans())
def test_command(tmp_path_factory, rows, fill):
    folder = tmp_path_factory.mktemp('command')
    lines = [f'{row % 5},{row % 3},{"xy"[row % 2]}' for row in range(12)]
    lines += [f'{row},{at % 3},' for at, row in enumerate(rows)]
    path, out = folder / 'mine.csv', folder / 'out.csv'
    path.write_text('\n'.join(['size,cost,kind', *lines]), encoding='utf-8')
    command = [str(path), '--label', 'kind', '--out', str(out)]
    told = StringIO()
    try:
        with redirect_stderr(told):
            main(command + ['--fill'] * fill)
    except SystemExit as exit_:
        assert exit_.code == 1 and re.search("'|--", told.getvalue())
        assert not out.exists()
        return
    prob = pandas.read_csv(out)[['probability of x', 'probability of y']]
    assert np.allclose(prob.sum(axis=1), 1, atol=1e-3)
