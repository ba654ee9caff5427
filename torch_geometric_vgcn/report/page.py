import hashlib
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files
from string import Template

import numpy as np

from torch_geometric_vgcn.report.findings import Findings
from torch_geometric_vgcn.report.graph import LISTED, graph
from torch_geometric_vgcn.report.markup import as_json, text
from torch_geometric_vgcn.report.neighbourhoods import LIMIT, neighbourhoods
from torch_geometric_vgcn.report.quality import accuracy, quality
from torch_geometric_vgcn.report.summary import choice, classes, facts

FOLDER = files('torch_geometric_vgcn.report')
STYLES = ('page.css', 'explorer.css', 'media.css')
#: In this order, as each uses those before.
SCRIPTS = (
    'tables.js', 'graph.js', 'words.js', 'panel.js', 'search.js',
    'explorer.js',
)  # fmt: skip
#: Only these scripts may run, and nothing may be loaded.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    'script-src {}'
)


def page(findings: Findings, title: str, limit: int = LIMIT) -> str:
    r"""The page as HTML, with all that it needs inside, and up to so many
    edges to explore.
    """
    edges = findings.edges
    listed = [edges.most_distrusted(LISTED), edges.strongest(LISTED)]
    starts = edges.index[:, np.concatenate(listed)].T.ravel()
    scripts = {
        'library': _read('vendor/cytoscape.min.js'),
        'script': _join(SCRIPTS),
    }
    policy = POLICY.format(' '.join(map(_hash, scripts.values())))
    return Template(_read('web/page.html')).substitute(
        title=text(title),
        policy=policy,
        style=_join(STYLES),
        facts=facts(findings),
        choice=choice(findings),
        accuracy=accuracy(findings),
        quality=quality(findings),
        classes=classes(findings),
        graph=graph(findings),
        source=findings.source.capitalize(),
        explorer='' if len(edges) > 0 else 'hidden',
        data=as_json(neighbourhoods(findings, starts, limit)),
        **scripts,
    )


def _read(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding='utf-8')


def _join(names: Sequence[str]) -> str:
    return ''.join(_read(f'web/{name}') for name in names)


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode('utf-8')).digest()
    return f"'sha256-{b64encode(digest).decode('ascii')}'"
