from problem import Problem

from contenders.base import Contender, Outcome
from torch_geometric_vgcn.estimators import VGCNClassifier


class VGCN(Contender):
    title = 'VGCN'
    about = (
        '`VGCNClassifier(random_state=seed)`, which chooses by itself whether '
        'and how far to trust a graph of nearest rows'
    )

    def solve(self, problem: Problem, seed: int) -> Outcome:
        model = VGCNClassifier(random_state=seed)
        model.fit(problem.table.x, problem.y)
        prob = model.label_distributions_[problem.hidden]
        return Outcome(prob, model.choice_, model.trials_)
