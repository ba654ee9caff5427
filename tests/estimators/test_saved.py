import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
import torch

from torch_geometric_vgcn.estimators import VGCNClassifier


@pytest.mark.parametrize(('sparse', 'trust'), [(False, 'auto'), (True, 0.1)])
def test_another_process_predicts_the_same_bits(
    tmp_path, blobs, sparse, trust
):
    x, truth, y = blobs
    if sparse:
        x = scipy.sparse.csr_array(np.where(x > 0, x, 0).round())
    names = np.array(['red', 'green', 'blue'], dtype=object)
    clf = VGCNClassifier(
        trust=trust, n_neighbors=5, max_iter=5, random_state=0
    ).fit(x, np.where(y >= 0, names[y], None))
    clf.save(tmp_path / 'model.vgcn')
    code = (
        'import sys, numpy as np, scipy.sparse\n'
        'from torch_geometric_vgcn.estimators import VGCNClassifier\n'
        'clf = VGCNClassifier.load(sys.argv[1])\n'
        'x = np.load(sys.argv[2])\n'
        'x = scipy.sparse.csr_array(x) if sys.argv[4] == "True" else x\n'
        'np.save(sys.argv[3], clf.predict_proba(x))\n'
    )
    np.save(tmp_path / 'x.npy', x.toarray() if sparse else x)
    files = [tmp_path / name for name in ('model.vgcn', 'x.npy', 'out.npy')]
    subprocess.run(
        [sys.executable, '-c', code, *map(str, files), str(sparse)], check=True
    )
    assert (np.load(tmp_path / 'out.npy') == clf.predict_proba(x)).all()


def test_all_that_was_learned_is_there(tmp_path, blobs, quick):
    x, _, y = blobs
    quick.fit(x, y).save(tmp_path / 'model.vgcn')
    again = VGCNClassifier.load(tmp_path / 'model.vgcn')
    assert again.get_params() == quick.get_params()
    assert (again.transduction_ == quick.transduction_).all()
    assert (again.predict(x) == quick.predict(x)).all()
    assert (again.graph_ != quick.graph_).nnz == 0
    assert again.trials_ == quick.trials_
    assert again.choice_ == quick.choice_
    assert again.n_features_in_ == 5


@pytest.mark.parametrize(
    ('given', 'kept'),
    [
        ({'hidden': np.int64(8)}, {'hidden': 8}),
        ({'trust': np.float32(0.5)}, {'trust': 0.5}),
        ({'learn': np.bool_(False)}, {'learn': False}),
        ({'random_state': np.int64(3)}, {'random_state': 3}),
        ({'random_state': np.random.RandomState(0)}, {'random_state': None}),
    ],
)
def test_parameters_of_numpy_as_from_a_grid_search(
    tmp_path, blobs, quick, given, kept
):
    x, _, y = blobs
    quick.set_params(**given).fit(x, y).save(tmp_path / 'model.vgcn')
    again = VGCNClassifier.load(tmp_path / 'model.vgcn')
    assert again.get_params() == {**quick.get_params(), **kept}
    assert (again.predict(x) == quick.predict(x)).all()


def test_what_a_report_needs_is_there(tmp_path, blobs, quick):
    x, _, y = blobs
    path = np.stack([np.arange(119), np.arange(1, 120)])
    quick.fit(x, y, graph=torch.from_numpy(path)).save(tmp_path / 'm.vgcn')
    again = VGCNClassifier.load(tmp_path / 'm.vgcn')
    for clf in (quick, again):
        assert (clf.labels_ == y).all()
        assert sorted(clf.validation_rows_) == np.flatnonzero(y >= 0).tolist()
        hits = clf.validation_distributions_.argmax(axis=1)
        score = (hits == y[clf.validation_rows_]).mean()
        assert score == pytest.approx(clf.validation_score_)
        assert (clf.prior_graph_.indices == clf.graph_.indices).all()
        assert (clf.prior_graph_.data != clf.graph_.data).any()
        assert clf.given_graph_.nnz == 2 * 119
        assert (clf.given_graph_ != quick.given_graph_).nnz == 0
