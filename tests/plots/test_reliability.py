import matplotlib.pyplot as plt
import pytest
from torch import tensor

from torch_geometric_vgcn.plots import plot_reliability

PROB = tensor([[0.9, 0.1], [0.9, 0.1], [0.35, 0.65], [0.45, 0.55]])
Y = tensor([0, 1, 1, 0])
ALL = tensor([0, 1, 2, 3])


def test_bars_gaps_and_counts():
    ax = plot_reliability(PROB, Y, ALL, bins=5)
    assert ax.get_title('left') == 'ECE 0.425 on 4 nodes'
    accuracy, gap = ax.containers
    assert [bar.get_height() for bar in accuracy] == [0, 1, 0.5]
    middle = [bar.get_x() + bar.get_width() / 2 for bar in accuracy]
    assert middle == pytest.approx([0.5, 0.7, 0.9])
    # From the accuracy up or down to the mean confidence:
    ends = [bar.get_y() + bar.get_height() for bar in gap]
    assert ends == pytest.approx([0.55, 0.65, 0.9])
    assert all(bar.get_hatch() for bar in gap)
    assert [text.get_text() for text in ax.texts] == ['1', '1', '2']
    assert ax.get_xlabel() == 'confidence' and ax.get_ylabel() == 'accuracy'


def test_on_given_axes():
    _, ax = plt.subplots()
    assert plot_reliability(PROB, Y, ALL, ax=ax) is ax
    assert len(plt.get_fignums()) == 1


def test_bad_input_leaves_no_figure():
    with pytest.raises(ValueError, match="'prob' must hold probabilities"):
        plot_reliability(2 * PROB, Y, ALL)
    assert not plt.get_fignums()
