import subprocess
import sys

import pytest

from torch_geometric_vgcn.plots.axes import axes_or_new

WITHOUT = """
import sys
import torch
from torch_geometric.nn import GCNConv
from torch_geometric_vgcn import SmoothedPrior, VariationalGraphLearner
print('matplotlib' in sys.modules, 'torch_geometric_vgcn.plots' in sys.modules)
sys.modules['matplotlib'] = None  # as if it weren't installed
from torch_geometric_vgcn.analysis import moved_links
from torch_geometric_vgcn.plots import plot_posterior_change

prior = SmoothedPrior(torch.tensor([[0, 1], [1, 2]]), 3)
learner = VariationalGraphLearner(GCNConv(3, 2), prior)
print(moved_links(learner))
try:
    plot_posterior_change(learner)
except ImportError as error:
    print(error)
"""


def test_matplotlib_is_only_needed_to_draw():
    command = [sys.executable, '-c', WITHOUT]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        'False False',
        '0 of 2 links moved by more than 0.02',
        "'torch_geometric_vgcn.plots' needs the package matplotlib: "
        'pip install matplotlib',
    ]


def test_other_objects_are_no_axes():
    with pytest.raises(TypeError, match="'ax' must be a Axes, got int"):
        axes_or_new(3)
