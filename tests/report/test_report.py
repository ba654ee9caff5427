import pytest
import torch
from torch_geometric.data import Data

from torch_geometric_vgcn import VGCN
from torch_geometric_vgcn.estimators import (
    VGCNClassifier,
    VGCNRegressor,
)
from torch_geometric_vgcn.report import report


def test_a_classifier_is_reported(fitted, tmp_path):
    path = report(fitted, tmp_path / 'report.html', title='Blobs')
    content = path.read_text(encoding='utf-8')
    assert '<h1>Blobs</h1>' in content
    assert f'{100 * fitted.validation_score_:.1f}\xa0%' in content
    assert 'The members and their weights' in content


def test_a_saved_classifier_gives_the_same_report(fitted, tmp_path):
    fitted.save(tmp_path / 'model.vgcn')
    loaded = VGCNClassifier.load(tmp_path / 'model.vgcn')
    one = report(fitted, tmp_path / 'one.html')
    two = report(loaded, tmp_path / 'two.html')
    assert one.read_bytes() == two.read_bytes()


def test_a_learner_is_reported_with_its_data(learner, tmp_path):
    x = torch.randn(6, 3)
    data = Data(x=x, y=torch.tensor([0, 0, 0, 1, 1, 1]))
    path = report(learner, tmp_path / 'report.html', data)
    assert 'SmoothedPrior' in path.read_text(encoding='utf-8')
    with pytest.raises(ValueError, match="'data' must be given"):
        report(learner, tmp_path / 'report.html')


def test_names_are_shown_and_missing_ones_are_numbers(fitted, tmp_path):
    names = [f'name {row}' for row in range(60)]
    names[0], names[1], names[2] = None, float('nan'), 'lone \udc80'
    path = report(fitted, tmp_path / 'report.html', names=names)
    content = path.read_text(encoding='utf-8')
    assert '["0","1","lone \\udc80","name 3"' in content


def test_quantities_are_refused(fitted, tmp_path):
    x = torch.rand(30, 3).numpy()
    reg = VGCNRegressor(max_iter=2, random_state=0).fit(x, x.sum(axis=1))
    for model in (reg, reg.model_):
        name = type(model).__name__
        with pytest.raises(ValueError, match=f"'model' must .* a {name} of"):
            report(model, tmp_path / 'report.html')
    assert not list(tmp_path.iterdir())


def test_what_is_wrong_is_named(fitted, tmp_path):
    path = tmp_path / 'report.html'
    with pytest.raises(TypeError, match="'model' must be a VGCN, a VGCNCl"):
        report(torch.nn.Linear(2, 2), path)
    unknown = Data(x=torch.eye(4), y=torch.tensor([0, 1, 0, -1]))
    for model in (VGCNClassifier(), VGCN(unknown)):
        with pytest.raises(ValueError, match="'model' must be fitted"):
            report(model, path)
    with pytest.raises(ValueError, match="'names' must have one name for"):
        report(fitted, path, names=['a'])
    with pytest.raises(TypeError, match="'names' must be a list"):
        report(fitted, path, names='abc')
    with pytest.raises(TypeError, match="'title' must be a str"):
        report(fitted, path, title=3)
    with pytest.raises(ValueError, match="'data' must be None"):
        report(fitted, path, data=Data())
    with pytest.raises(OSError, match="'path' must be a file that can be"):
        report(fitted, tmp_path / 'none' / 'report.html')
    assert not path.exists()
