import dis
from pathlib import Path

import sklearn

import torch_geometric_vgcn

FOLDER = Path(torch_geometric_vgcn.__file__).parent
#: Estimators leave the checks of tables to scikit-learn, as all do.
CHECKS = Path(sklearn.__file__).parent / 'utils'
KINDS = (ValueError, TypeError, RuntimeError, FloatingPointError)
KINDS += (OSError, ImportError)


def is_own(error: BaseException) -> bool:
    r"""Whether the package itself raised the error: the innermost frame is
    one of its own, at a ``raise``.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not isinstance(error, KINDS):
        return False
    code = trace.tb_frame.f_code
    parents = Path(code.co_filename).parents
    if CHECKS in parents:
        return True
    if FOLDER not in parents:
        return False
    return any(
        step.offset == trace.tb_lasti and step.opname.startswith('RAISE')
        for step in dis.get_instructions(code)
    )
