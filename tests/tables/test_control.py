from control import control

WINE, FARS = ('Wine', None), ('FARS', 0.1)


def test_differences_are_paired_by_run(results):
    text = '\n'.join(
        control(
            results(
                {
                    WINE: {
                        'VGCN': [96, 97, 98],
                        'VGCN frozen': [95, 96, 97, 10],
                        'KNeighbors': [99, 99, 99],
                    },
                    FARS: {'VGCN': [60], 'KNeighbors': [99]},
                }
            )
        )
    )
    # The fourth run of the control has no partner:
    row = '| Wine, 30 labels | 3 | **+1.0 [+1.0, +1.0]** | **-0.010 ['
    assert row in text
    assert 'FARS' not in text and 'KNeighbors' not in text


def test_no_section_without_a_control(results):
    assert control(results({WINE: {'VGCN': [96, 97]}})) == []
