import io
import subprocess
import sys

from torch_geometric_vgcn.utils import progress_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def steps(file, monkeypatch, num_steps=200):
    monkeypatch.setattr(sys, 'stderr', file)
    with progress_bar(total=num_steps, desc='steps') as bar:
        for step in range(num_steps):
            bar.set_postfix_str(f'step {step}', refresh=False)
            bar.update()
    return file.getvalue()


def test_a_terminal_shows_the_bar(monkeypatch):
    assert '200/200' in steps(Terminal(), monkeypatch)


def test_a_log_has_nothing_of_what_is_quick(monkeypatch):
    assert steps(io.StringIO(), monkeypatch) == ''


def test_a_notebook_shows_the_bar(monkeypatch):
    monkeypatch.setitem(sys.modules, 'ipykernel', sys)
    assert '200/200' in steps(io.StringIO(), monkeypatch)


def test_a_log_has_some_lines_of_what_takes_long(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr('tqdm.std.time', lambda: clock[0])
    monkeypatch.setattr(sys, 'stderr', io.StringIO())
    bar = progress_bar(total=1000)
    for _ in range(1000):  # a hundred seconds
        clock[0] += 0.1
        bar.update()
    bar.close()
    shown = sys.stderr.getvalue().split('\r')
    assert 3 <= len(shown) <= 6
    assert '1000/1000' in shown[-1]


SCRIPT = """
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCN
from torch_geometric_vgcn import *

edge_index = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]])
mask = torch.ones(6, dtype=torch.bool)
data = Data(torch.randn(6, 3), edge_index, y=torch.tensor([0, 0, 0, 1, 1, 1]))
data.train_mask = data.val_mask = mask
learner = VariationalGraphLearner(
    GCN(3, 4, 2, 2), SmoothedPrior(edge_index, 6)
)
fit(learner, data, epochs=30)
"""


def test_training_does_not_flood_a_log():
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', SCRIPT],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ''
