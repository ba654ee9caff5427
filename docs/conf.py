"""Settings of the documentation: `make docs` builds it without a network."""

import os
import socket
import sys
from pathlib import Path

HERE = Path(__file__).parent
# The kernel of this environment, whatever others are installed:
os.environ['JUPYTER_PATH'] = str(HERE / '_jupyter')
sys.path[:0] = [str(HERE / '_extensions'), str(HERE.parent)]

from torch_geometric_vgcn import __version__  # noqa: E402
from torch_geometric_vgcn.datasets import planetoid  # noqa: E402

project = 'torch_geometric_vgcn'
version = release = __version__
language = 'en'

extensions = [
    'myst_nb',
    'sphinx.ext.autodoc',
    'sphinx.ext.autosummary',
    'sphinx.ext.mathjax',
    'sphinx.ext.napoleon',
    'sphinx-mathjax-offline',  # MathJax from the package, not from a CDN
    'linked_names',
]
exclude_patterns = ['_build']
# A reference to a public name that doesn't exist is an error. Those to torch,
# PyG and scikit-learn would need the network, and internal bases have no page:
# they stay text.
nitpicky = True
nitpick_ignore_regex = [
    ('py:.*', r'(?!torch_geometric_vgcn).*'),
    ('py:class', r'torch_geometric_vgcn(\.\w+){3,}'),
]

myst_enable_extensions = ['dollarmath', 'attrs_inline']
myst_heading_anchors = 4
# Text notebooks are executed once and kept in _build, until they change.
nb_execution_cache_path = str(HERE / '_build' / 'executed')
nb_execution_in_temp = True
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_output_stderr = 'remove'
try:
    planetoid('CiteSeer')
except FileNotFoundError:
    print('Citeseer was not found: its tutorial is not executed')
    nb_execution_excludepatterns = ['tutorials/poisoned.md']


def loopback():
    r"""Whether a kernel can be talked to."""
    with socket.create_server(('127.0.0.1', 0)) as server:
        with socket.socket() as client:
            return client.connect_ex(server.getsockname()) == 0


nb_execution_mode = 'cache'
if not loopback():
    print('no loopback interface: the tutorials are not executed')
    nb_execution_mode = 'off'

autodoc_member_order = 'bysource'
autodoc_typehints = 'none'  # Args: has the types, as in PyG
autodoc_default_options = {
    'members': True,
    'show-inheritance': True,
    # What scikit-learn adds to each estimator:
    'exclude-members': ', '.join(
        f'set_{method}_request'
        for method in ('fit', 'predict', 'predict_proba', 'score')
    ),
}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False

html_theme = 'furo'
html_title = 'torch_geometric_vgcn'
html_static_path = ['_static']
html_css_files = ['site.css']
html_show_sphinx = False
html_show_copyright = False
pygments_dark_style = 'github-dark'
html_copy_source = False
html_use_index = False
html_domain_indices = False
