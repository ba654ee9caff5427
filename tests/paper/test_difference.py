import pytest
from difference import Difference
from scipy import stats

OURS = {100: 3.0, 101: 5.0, 102: 4.0, 103: 4.5}
THEIRS = {103: 4.0, 102: 3.5, 101: 4.0, 100: 2.5}


def test_the_interval_is_that_of_a_paired_t_test():
    got = Difference.of(OURS, THEIRS)
    runs = sorted(OURS)
    test = stats.ttest_rel([OURS[r] for r in runs], [THEIRS[r] for r in runs])
    interval = test.confidence_interval(0.95)
    assert got.mean == pytest.approx(0.625) and got.runs == 4
    assert (got.low, got.high) == pytest.approx((interval.low, interval.high))
    assert got.is_clear == (test.pvalue < 0.05)
    assert (
        got.is_clear and not Difference.of(OURS, {**THEIRS, 101: 9}).is_clear
    )


def test_only_runs_of_both_count():
    got = Difference.of(OURS, {100: 1.0, 101: 2.0, 7: 50.0})
    assert got.runs == 2 and got.mean == 2.5
    assert Difference.of(OURS, {7: 50.0}) is None


def test_bold_needs_three_runs_and_an_interval_that_excludes_zero():
    assert Difference.of({0: 2.0}, {0: 1.0}).text(1) == '+1.0'
    two = Difference.of({0: 2.0, 1: 2.0}, {0: 1.0, 1: 1.0})
    assert two.text(1) == '+1.0 [+1.0, +1.0]'
    three = Difference.of(
        dict.fromkeys(range(3), 1), dict.fromkeys(range(3), 2)
    )
    assert three.text(2) == '**-1.00 [-1.00, -1.00]**'
    same = Difference.of(OURS, OURS)
    assert same.text(2) == '+0.00 [+0.00, +0.00]'
