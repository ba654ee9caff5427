import json
from dataclasses import dataclass
from operator import itemgetter

import pytest
from scipy import stats

from benchmarks.harness.difference import Difference, clearly_best
from benchmarks.harness.lines import JsonLines
from benchmarks.harness.results import Results, write_page

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
    assert not Difference.of(OURS, {**THEIRS, 101: 9}).is_clear


def test_only_runs_of_both_count():
    got = Difference.of(OURS, {100: 1.0, 101: 2.0, 7: 50.0})
    assert got.runs == 2 and got.mean == 2.5
    assert Difference.of(OURS, {7: 50.0}) is None


def test_bold_needs_three_runs_and_an_interval_that_excludes_zero():
    assert Difference.of({0: 2.0}, {0: 1.0}).text(1) == '+1.0'
    two = Difference.of({0: 2.0, 1: 2.0}, {0: 1.0, 1: 1.0})
    assert two.text(1) == '+1.0 [+1.0, +1.0]'
    one, two = (dict.fromkeys(range(3), value) for value in (1, 2))
    assert Difference.of(one, two).text(2) == '**-1.00 [-1.00, -1.00]**'
    assert Difference.of(OURS, OURS).text(2) == '+0.00 [+0.00, +0.00]'
    assert clearly_best({'a': one, 'b': two}) == 'b'
    assert clearly_best({'b': two, 'c': two}) is None
    assert clearly_best({'b': two}) is None


@dataclass(frozen=True)
class Trial:
    run: int
    fails: bool = False

    @property
    def key(self):
        return {'run': self.run}

    def train(self):
        if self.fails:
            raise ValueError('no')
        return {**self.key, 'system': 'A', 'seconds': 1.0}


def test_a_run_resumes_where_it_stopped(tmp_path):
    lines = JsonLines(tmp_path / 'new' / 'trials.jsonl', ['run'])
    lines.run([Trial(0)], workers=1)
    before = lines.path.read_text()
    lines.path.write_text(before + '{"run": 1, "sys')  # killed
    trials = [Trial(0, fails=True), Trial(1), Trial(1)]  # 0 is not run again
    lines.run(trials, workers=1)
    assert [row['run'] for row in lines.read().values()] == [0, 1]
    assert lines.path.read_text().startswith(before)
    with pytest.raises(ValueError, match='no'):
        lines.run([Trial(2, fails=True)], workers=1)
    assert lines.missing([Trial(1), Trial(2)]) == [Trial(2)]
    assert [row['run'] for row in lines.of(trials[1:2])] == [1]


@pytest.fixture
def results():
    r"""Accuracies of three runs of two systems; the third has one run."""
    accs = {'A': [70, 71, 72], 'B': [80, 81, 82], 'C': [81.5]}
    rows = [
        {'on': 'x', 'run': run, 'system': name, 'test_acc': acc / 100}
        for name, every in accs.items()
        for run, acc in enumerate(every)
    ]
    return Results(rows, ['x'], ['A', 'B', 'C', 'absent'], itemgetter('on'))


def test_the_best_is_bold_if_it_is_clear(results):
    text = results.table({'x': 'x'}, results.cell)
    assert '| A | 71.0 ± 1.0 |' in text and '| C | 81.5 |' in text
    assert '**' not in text and 'absent' not in text  # C has one run
    both = Results(results.rows, ['x'], ['A', 'B'], results.of)
    assert both.by_data().splitlines() == [
        '| data, labels | runs | A | B |',
        '| --- | --- | --- | --- |',
        '| x | 3 | 71.0 ± 1.0 | **81.0 ± 1.0** |',
    ]
    assert '**71.0 ± 1.0**' in both.by_data(sign=-1)
    assert results.num_runs() == '1 to 3 runs'


def test_the_best_other_system_is_that_of_the_same_runs(results):
    best, difference = results.beside('x', 'A', ['B', 'C'])
    assert best == 'C' and difference.text(1) == '-11.5'
    best, difference = results.beside('x', 'A', ['B'])
    assert best == 'B' and difference.text(1) == '**-10.0 [-10.0, -10.0]**'
    assert results.beside('x', 'absent', ['B']) is None


def test_a_page_leaves_out_empty_parts(tmp_path, capsys):
    write_page(tmp_path / 'new', 'page', ['# Title', '', 'Text.'])
    text = (tmp_path / 'new' / 'page.md').read_text()
    assert text == '# Title\n\nText.\n' and text in capsys.readouterr().out
    lines = JsonLines(tmp_path / 'some.jsonl', ['run'])
    lines.write([{'run': 0}, {'run': 1}])
    assert json.loads(lines.path.read_text().splitlines()[1]) == {'run': 1}
