import matplotlib
import pytest

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed_figures():
    """No picture leaves anything behind but its own figure."""
    before = dict(matplotlib.rcParams)
    yield
    plt.close('all')
    assert dict(matplotlib.rcParams) == before
