from contextlib import contextmanager

import pytest


class Interrupt(Exception):
    pass


@pytest.fixture
def interrupted():
    r"""Interrupts the training of a learner after so many steps."""

    @contextmanager
    def after(learner, steps):
        done = []

        def count(*_):
            if len(done) == steps:
                raise Interrupt
            done.append(1)

        learner.register_forward_pre_hook(count)
        with pytest.raises(Interrupt):
            yield

    return after
