"""Links names of the package: `SmoothedPrior` in a page leads to its class.

Pages stay plain Markdown, which also reads well elsewhere.
"""

import importlib
import inspect
import pkgutil
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

import torch_geometric_vgcn

CALL = re.compile(r'(?:learner\.)?(\w+)(?:\(.*\))?', re.DOTALL)


def public_names():
    r"""Each public name once, by the package whose page it is on."""
    names = {}
    for module in pkgutil.iter_modules(torch_geometric_vgcn.__path__):
        if module.ispkg:
            name = f'torch_geometric_vgcn.{module.name}'
            for each in getattr(importlib.import_module(name), '__all__', ()):
                names[each] = f'{name}.{each}'
    for each in torch_geometric_vgcn.__all__:
        names.setdefault(each, f'torch_geometric_vgcn.{each}')
    return names


class LinkNames(SphinxTransform):
    r"""Makes a link of each literal that is a public name, or a call."""

    default_priority = 500
    names = public_names()
    members = {
        name
        for name, _ in inspect.getmembers(
            torch_geometric_vgcn.VariationalGraphLearner
        )
    }

    def apply(self):
        for literal in list(self.document.findall(nodes.literal)):
            if isinstance(literal.parent, (nodes.reference, nodes.title)):
                continue
            if isinstance(literal.parent, addnodes.pending_xref):
                continue
            target = self.target(literal.astext())
            if target is not None:
                link = addnodes.pending_xref(
                    '',
                    refdomain='py',
                    reftype='obj',
                    reftarget=target,
                    refdoc=self.env.docname,
                    refwarn=True,
                )
                literal.replace_self(link)
                link += literal

    def target(self, text):
        match = CALL.fullmatch(text)
        if match is None:
            return None
        name = match.group(1)
        if text.startswith('learner.'):
            if name in self.members:
                learner = 'torch_geometric_vgcn.VariationalGraphLearner'
                return f'{learner}.{name}'
            return None
        return self.names.get(name)


def resolve(app, env, node, contnode):
    r"""Finds names without their package, or with that of a short import."""
    target = node.get('reftarget', '')
    head, _, name = target.rpartition('.')
    full = LinkNames.names.get(name)
    if head not in ('', 'torch_geometric_vgcn') or full in (None, target):
        return None
    domain = env.domains['py']
    return domain.resolve_xref(
        env, node['refdoc'], app.builder, 'obj', full, node, contnode
    )


def setup(app):
    app.add_transform(LinkNames)
    app.connect('missing-reference', resolve)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
