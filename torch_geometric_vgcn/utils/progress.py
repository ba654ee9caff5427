import sys
from typing import Any

from tqdm import tqdm

EVERY = 30.0  # seconds, in a log


def progress_bar(*args: Any, **kwargs: Any) -> tqdm:
    r"""A :class:`tqdm.tqdm` that doesn't flood a log: if standard error is
    neither a terminal nor that of a notebook, it writes every 30 seconds, and
    nothing for what takes less.

    Its postfix must be set with :obj:`refresh=False`, as any refresh writes at
    once.

    Args:
        *args: The arguments of :class:`tqdm.tqdm`.
        **kwargs: Its keyword arguments.
    """
    if not sys.stderr.isatty() and 'ipykernel' not in sys.modules:
        kwargs |= {'mininterval': EVERY, 'maxinterval': EVERY, 'delay': EVERY}
    return tqdm(*args, **kwargs)
