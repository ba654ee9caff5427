from dataclasses import dataclass

from torch_geometric_vgcn.utils import check_count, check_kind


@dataclass(frozen=True)
class Effort:
    r"""How much time :class:`VGCN` takes for each of its members.

    Args:
        epochs (int, optional): The maximum number of training steps.
            (default: :obj:`120`)
        patience (int, optional): After how many epochs without improvement
            to stop. (default: :obj:`40`)
        warmup (int, optional): The training steps over which nodes without a
            label get their full weight. (default: :obj:`50`)
        folds (int, optional): Into how many parts labels are split where no
            validation nodes are given. (default: :obj:`4`)
        runs (int, optional): How often members are trained, from different
            random numbers: all once, and then those that have a weight again;
            with folds once. (default: :obj:`2`)
        num_samples (int, optional): The number of graphs for predictions.
            (default: :obj:`16`)
    """

    epochs: int = 120
    patience: int = 40
    warmup: int = 50
    folds: int = 4
    runs: int = 2
    num_samples: int = 16

    def __post_init__(self) -> None:
        check_count(self.warmup, 'warmup')
        check_count(self.folds, 'folds', least=2)
        for name in ('epochs', 'patience', 'runs', 'num_samples'):
            check_count(getattr(self, name), name, least=1)


EFFORTS = {
    'quick': Effort(50, 20, warmup=25, folds=2, runs=1, num_samples=8),
    'default': Effort(),
    'best': Effort(300, 100, folds=8, runs=5, num_samples=64),
}


def effort_of(effort: str | Effort) -> Effort:
    r"""The effort of a name, or that which is given."""
    if isinstance(effort, Effort):
        return effort
    check_kind(effort, (str, Effort), 'effort')
    if effort not in EFFORTS:
        names = ', '.join(repr(name) for name in EFFORTS)
        raise ValueError(f"'effort' must be one of {names}, got '{effort}'")
    return EFFORTS[effort]
