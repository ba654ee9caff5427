import numpy as np


def test_few_classes_have_their_own_colours(make):
    assert make().colour == [0, 1, 2]


def test_of_many_classes_the_largest_have_colours(make):
    findings = make(n=200, classes=[str(c) for c in range(30)])
    size = np.bincount(findings.predicted, minlength=30)
    colour = np.array(findings.colour)
    assert sorted(colour[colour < 10]) == list(range(10))
    assert size[colour < 10].min() >= size[colour == 10].max()


def test_rows_without_names_have_numbers(make):
    assert make().name(3) == '3'
    assert make(names=list('abcdefghijkl')).name(3) == 'd'
