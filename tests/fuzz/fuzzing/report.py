r"""Calls of the report."""

from pathlib import Path

import fuzzing.world as world
from fuzzing.analysis import moved_learner
from fuzzing.case import Case, target
from fuzzing.estimators import classifier, table
from torch_geometric_vgcn.report import report


@target('report')
def reports(case: Case) -> None:
    data = world.graph(case)
    names = [case.one_of('a', '<b>', None, 3) for _ in range(data.num_nodes)]
    given = case.kwargs(title=case.one_of('', 'mine'))
    if case.maybe(0.2):
        with case.right():
            model, (x, y) = classifier(case), table(case)
            case.call(model.fit, x, y)
        given |= case.kwargs(names=list(range(len(y))))
    else:
        model = moved_learner(case, data)
        given |= case.kwargs(names=names) | {'data': case.arg(data)}
    path = case.call(
        report, case.arg(model), case.arg('a.html', Path('b.html')), **given
    )
    case.check(path.read_text(encoding='utf-8').endswith('</html>\n'), 'page')
