"""The Python blocks of each page run, as one program from top to bottom."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(
    r'^```(?:python|\{code-cell\} ipython3)\n(.*?)^```$', re.DOTALL | re.M
)
# tests/test_examples.py runs it, and looks at what it prints.
ELSEWHERE = {'docs/other_tasks.md'}
# What keeps the others short:
SHORTER = {
    'docs/attacks.md': {
        ')(clean)': ', epochs=2, block_size=20_000)(clean)',
    },
    'docs/get_started.md': {
        'VGCN(data)': "VGCN(data, effort='quick')",
        'epochs=100': 'epochs=2',
    },
    'docs/guides/untrusted_graph.md': {
        'VGCN(data)': "VGCN(data, effort='quick', time_limit=1)",
        'epochs=120': 'epochs=2',
        'fitted_prior(data': 'fitted_prior(data, epochs=2',
    },
    'docs/index.md': {'VGCN(data)': "VGCN(data, effort='quick')"},
    'docs/model.md': {'range(200)': 'range(2)'},
    'docs/plots.md': {'epochs=200': 'epochs=2'},
    'docs/tables.md': {
        'VGCNClassifier(': 'VGCNClassifier(max_iter=2, ',
        'VGCNNodeClassifier(': 'VGCNNodeClassifier(max_iter=2, ',
        'VGCNRegressor(': 'VGCNRegressor(max_iter=2, ',
    },
}
NEEDS_CITESEER = {
    'docs/attacks.md',
    'docs/guides/untrusted_graph.md',
    'docs/model.md',
    'docs/plots.md',
    'docs/tutorials/poisoned.md',
}
NEEDS_SPARSE = {'docs/guides/large_graphs.md'}  # NeighborLoader does


def pages():
    for path in sorted(ROOT.glob('docs/**/*.md')):
        page = path.relative_to(ROOT).as_posix()
        if page.startswith('docs/_build') or page in ELSEWHERE:
            continue
        if BLOCK.search(path.read_text(encoding='utf-8')):
            slow = page.startswith('docs/tutorials/') or 'attacks' in page
            marks = [pytest.mark.slow] if slow else []
            yield pytest.param(page, True, marks=marks, id=page)
            if page in SHORTER and page.startswith('docs/guides/'):
                marks = [pytest.mark.slow]
                yield pytest.param(page, False, marks=marks, id=f'{page} long')


@pytest.mark.parametrize('page, shorter', list(pages()))
def test_code_of_page_runs(page, shorter, tmp_path, monkeypatch, request):
    if page in NEEDS_CITESEER:
        request.getfixturevalue('citeseer')  # or skips
    if page in NEEDS_SPARSE:
        pytest.importorskip('torch_sparse')
    plt = pytest.importorskip('matplotlib.pyplot')
    plt.switch_backend('Agg')
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text(encoding='utf-8')
    code = '\n'.join(BLOCK.findall(text))
    for long, short in SHORTER.get(page, {}).items():
        assert long in code
        code = code.replace(long, short) if shorter else code
    names = {'__name__': '__main__'}
    try:
        exec(compile(code, page, 'exec'), names)
        for name, value in names.items():
            if name.startswith('test_'):  # examples of tests are run, too
                value()
    finally:
        plt.close('all')
