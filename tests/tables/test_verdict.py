from verdict import verdict

WINE, LETTER = ('Wine', None), ('letter', 0.1)


def test_counts_the_cells_in_which_it_is_good(results):
    text = verdict(
        results(
            {
                WINE: {
                    'VGCN': [96, 97, 98, 97],
                    'LogisticRegression': [90, 91, 92, 90],
                    'KNeighbors': [97, 97, 97, 97.5],  # within noise
                },
                LETTER: {
                    'VGCN': [80, 81, 82, 80],
                    'LogisticRegression': [84, 85, 85, 85],
                    'KNeighbors': [88, 89, 89, 88],
                },
            }
        )
    )
    assert 'the best or within noise of the best in 1 of 2 cells' in text
    assert 'clearly the best in 0' in text
    assert 'by more than 1 point, in the mean: letter, 10 % (**-4.0 [' in text
    assert '- letter, 10 %: KNeighbors is better by 7.8 points [' in text
    assert '30 to 30 times as long as LogisticRegression' in text


def test_clearly_the_best_everywhere(results):
    text = verdict(
        results({WINE: {'VGCN': [96, 97, 98], 'KNeighbors': [90, 91, 92]}})
    )
    assert 'within noise of the best in 1 of 1 cells' in text
    assert 'clearly the best in 1' in text
    assert 'in the mean: nowhere' in text
    assert 'no case here speaks against it' in text


def test_too_few_runs(results):
    some = results({WINE: {'VGCN': [96, 97], 'KNeighbors': [90, 91]}})
    assert 'not known yet' in verdict(some)
    assert 'not known yet' in verdict(results({WINE: {'KNeighbors': [90]}}))
