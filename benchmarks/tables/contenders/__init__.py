r"""All systems. To add one, add a file here and a line below."""

from contenders.base import Contender
from contenders.gradient_boosting import GradientBoosting
from contenders.label_spreading import LabelSpreading
from contenders.logistic_regression import LogisticRegression
from contenders.nearest_neighbors import NearestNeighbors
from contenders.self_training import SelfTraining
from contenders.vgcn import VGCN, FrozenVGCN

CONTENDERS: dict[str, Contender] = {
    each.title: each()
    for each in (
        VGCN,
        FrozenVGCN,
        LabelSpreading,
        SelfTraining,
        GradientBoosting,
        LogisticRegression,
        NearestNeighbors,
    )
}
