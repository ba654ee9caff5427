from typing import ClassVar

from problem import Problem

from contenders.base import Contender, Outcome
from torch_geometric_vgcn.estimators import VGCNClassifier


class VGCN(Contender):
    title = 'VGCN'
    about = (
        '`VGCNClassifier(random_state=seed)`, which weighs by itself models '
        'without a graph and on graphs of nearest rows'
    )
    #: Whether edges are inferred, or stay at their prior.
    learn: ClassVar[bool] = True

    def solve(self, problem: Problem, seed: int) -> Outcome:
        model = VGCNClassifier(learn=self.learn, random_state=seed)
        model.fit(problem.table.x, problem.y)
        prob = model.label_distributions_[problem.hidden]
        return Outcome(prob, model.choice_, model.trials_)


class FrozenVGCN(VGCN):
    title = 'VGCN frozen'
    about = (
        'the control, `VGCNClassifier(learn=False, random_state=seed)`: the '
        'same members and training, with edges that stay at their prior'
    )
    learn = False
