r"""The tests on each version of Python, with the newest requirements and with
the oldest that ``pyproject.toml`` permits:

    nox                        # all versions of Python that are installed
    nox -s tests-3.12
    nox -s lowest
    nox -s minimal             # without the extras

Arguments behind ``--`` go to pytest: ``nox -s tests-3.12 -- tests/prior``.
"""

import nox

nox.options.default_venv_backend = 'uv'
nox.options.error_on_missing_interpreters = False
# Those that requires-python permits:
PROJECT = nox.project.load_toml('pyproject.toml')
PYTHONS = nox.project.python_versions(PROJECT, max_version='3.13')
THREADS = {'OMP_NUM_THREADS': '1'}
# Needs no extra:
SNIPPET = """
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCN
import torch_geometric_vgcn as vgcn

index = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]])
mask = torch.arange(6) < 3
data = Data(torch.eye(6), index, y=torch.arange(6) % 2, train_mask=mask,
            val_mask=~mask)
prior = vgcn.SmoothedPrior(index, 6)
learner = vgcn.VariationalGraphLearner(GCN(6, 4, 2, 2), prior)
vgcn.fit(learner, data, epochs=2, progress=False)
assert learner.predict(data.x).shape == (6, 2)
"""


def run_tests(session: nox.Session) -> None:
    session.run('python', '-m', 'pytest', '-n', 'auto', *session.posargs,
                env=THREADS)  # fmt: skip


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    r"""All tests, with the newest versions."""
    session.install('--upgrade', '.[test]')
    run_tests(session)


@nox.session(python=PYTHONS)
def lowest(session: nox.Session) -> None:
    r"""All tests, with the lowest versions of what is required directly."""
    session.install('--resolution', 'lowest-direct', '.[test]')
    run_tests(session)


@nox.session(python=PYTHONS)
def minimal(session: nox.Session) -> None:
    r"""Training and prediction with the hard requirements alone."""
    session.install('.')
    session.run('python', '-c', SNIPPET, env=THREADS)
