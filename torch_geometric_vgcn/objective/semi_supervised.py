from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from torch_geometric_vgcn.objective.bound import (
    ELBO,
    Bound,
    in_training_step,
)
from torch_geometric_vgcn.objective.kl import KL
from torch_geometric_vgcn.objective.likelihood import Likelihood
from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.utils import (
    COUNT,
    NONNEGATIVE,
    POSITIVE,
    check_tensor,
    checked,
)

TINY = 1e-30  # whose logarithm is finite
RARE = 1e-6  # a share below which a class is not made more frequent
MOMENTUM = 0.1  # of the shares found, in mini-batches


class SemiSupervisedELBO(ELBO):
    r"""The evidence lower bound in which the classes of nodes without a label
    are latent, like the graph

    .. math::
        \mathcal{L} &= \mathbb{E}_{q(\mathbf{A})} \sum_{n \in \mathcal{Y}^o}
        \log p(y_n \mid \mathbf{X}, \mathbf{A}) + w \sum_{n \notin
        \mathcal{Y}^o} U_n - \beta \, \mathrm{KL}[q(\mathbf{A}) \,\|\,
        p(\mathbf{A})]

        U_n &= \mathbb{E}_{q(y_n)} \mathbb{E}_{q(\mathbf{A})} \log p(y_n \mid
        \mathbf{X}, \mathbf{A}) + T \, \mathrm{H}[q(y_n)].

    The best :math:`q(y_n)` is proportional to :math:`\exp(
    \mathbb{E}_{q(\mathbf{A})} \log p(y_n \mid \mathbf{X}, \mathbf{A}) / T)`,
    the geometric mean over graphs. With :math:`T = 1` it makes :math:`U_n`
    zero exactly if all graphs agree on the node's class probabilities, and
    with :math:`T < 1` if they are certain, too: that graphs agree on nodes
    without a label is a part of the bound.

    **It is a lower bound** of :math:`\log p(\mathbf{Y}^o \mid \mathbf{X})`
    for all :math:`w \geq 0`, :math:`0 < T \leq 1`, :math:`\beta \geq 1` and
    :math:`q(y_n)`: as :math:`\sum_y p(y \mid \mathbf{X}, \mathbf{A}) = 1`,
    latent labels don't change the evidence, and :math:`U_n \leq T \log \sum_c
    \exp(\mathbb{E} \log p_c / T) \leq \log \sum_c \mathbb{E} \, p_c = 0`.
    With :math:`\beta < 1`, as by default and in the paper, it is tempered.

    The targets :math:`q(y_n) \propto \lambda_c \exp(\ldots)` lean towards the
    shares of classes :math:`\pi_c`, as otherwise frequent classes absorb the
    others where the graph is wrong: :math:`\lambda_c = \pi_c / \hat{\pi}_c`,
    with :math:`\hat{\pi}_c` the share that class :math:`c` has without
    :math:`\boldsymbol{\lambda}`. This is one step of iterative proportional
    fitting. More of them would give each class exactly its share, also where
    predictions know better than :math:`\pi_c`, a guess from few labels: on
    Citeseer and Cora, that is less accurate in the mean. In mini-batches,
    which have shares of their own, :math:`\hat{\pi}_c` is a running mean.
    Targets have no gradient, and whatever they are, the bound holds.

    Args:
        kl (KL): How the divergence from the prior is measured.
        beta (float, optional): The factor :math:`\beta` on the divergence.
            (default: :obj:`0.01`)
        weight (float, optional): How much all nodes without a label count
            together, relative to all labels: :math:`w` is this number of
            labels per node without a label. (default: :obj:`1.0`)
        temperature (float, optional): The temperature :math:`T` of the
            targets. (default: :obj:`0.5`)
        warmup (int, optional): The number of training steps over which
            :math:`w` grows, as first predictions are no guide.
            (default: :obj:`50`)
        class_share (Tensor, optional): How frequent each class is among all
            nodes, of shape :obj:`[C]`, positive, in any unit. If as many
            nodes of each class were labelled, as in Planetoid's public
            splits, count other labels:
            :obj:`data.y[data.val_mask].bincount(minlength=C) + 1`.
            (default: counted among the labels of all training steps, with
            one more label for each class)
    """

    needs_classes: ClassVar[bool] = True

    step: Tensor
    nodes: Tensor
    labels: Tensor
    found: Tensor
    class_share: Tensor | None

    @checked(weight=NONNEGATIVE, temperature=POSITIVE, warmup=COUNT)
    def __init__(
        self,
        kl: KL,
        beta: float = 1e-2,
        weight: float = 1.0,
        temperature: float = 0.5,
        warmup: int = 50,
        class_share: Tensor | None = None,
    ) -> None:
        super().__init__(kl, beta)
        self.weight = weight
        self.temperature = temperature
        if temperature > 1:
            raise ValueError(
                "'temperature' must be at most 1, or there is no bound, got "
                f'{temperature}'
            )
        self.warmup = warmup
        # Whole numbers, which no other precision rounds:
        self.register_buffer('step', torch.zeros((), dtype=torch.long))
        # In all training steps so far: nodes with and without a label, and
        # labels of each class, whose number is that of the outputs.
        self.register_buffer('nodes', torch.zeros(2, dtype=torch.long))
        self.register_buffer('labels', torch.zeros(0, dtype=torch.long))
        # The mean probability of each class in nodes without a label:
        self.register_buffer('found', torch.zeros(0))
        if class_share is not None:
            class_share = _normalized(class_share)
        self.register_buffer('class_share', class_share, persistent=False)

    def reset_parameters(self) -> None:
        self.step = torch.zeros_like(self.step)
        self.nodes = torch.zeros_like(self.nodes)
        self.labels = self.labels.new_zeros(0)
        self.found = self.found.new_zeros(0)

    @property
    def warmup_done(self) -> bool:
        r"""Whether agreement has its full weight, if there is any."""
        return int(self.step) >= self.warmup or int(self.nodes[1]) == 0

    def of_nodes(
        self,
        likelihood: Likelihood,
        out: Tensor,
        y: Tensor,
        mask: Tensor | None,
        sample: GraphSample | None,
        num_labeled: int | None = None,
        kl_scale: float | Tensor = 1.0,
    ) -> Bound:
        labelled = super().of_nodes(
            likelihood, out, y, mask, sample, num_labeled, kl_scale
        )
        classes = y if mask is None else y[mask]
        known = classes.numel() if num_labeled is None else num_labeled
        # All nodes, those with a label at a weight of zero: to select the
        # others, a device would have to be waited for.
        unknown = self.nodes.new_ones(out.size(1))
        unknown[slice(None) if mask is None else mask] = 0
        total = unknown.sum()
        total = torch.stack([torch.full_like(total, known), total])
        nodes, labels = (
            self.nodes + total,
            self._counted(classes, out.size(-1)),
        )
        wide = torch.promote_types(out.dtype, torch.float)
        log_prob = log_softmax(out, dim=-1, dtype=wide)
        node, ratio = unknown.to(wide), nodes.to(wide)
        ratio = ratio[0] / ratio[1].clamp(min=1)
        weight = self.weight * self._share() * ratio
        score = log_prob.detach().mean(dim=0) / self.temperature
        wanted = labels + 1 if self.class_share is None else self.class_share
        wanted = (wanted / wanted.sum()).to(wide)
        whole = sample is None or sample.prior.pairs.node_id is None
        found = self._found(score, wanted, node, 1.0 if whole else MOMENTUM)
        target = (score + (wanted / found.clamp(min=RARE)).log()).softmax(-1)
        weighted = weight * node.unsqueeze(-1) * target
        expected = (weighted * log_prob).sum(dim=(1, 2))
        entropy = -(weighted * target.clamp(min=TINY).log()).sum()
        agreement = expected.mean() + self.temperature * entropy
        bound = labelled.bound + agreement
        if sample is not None:
            bound = bound + sample.score(expected)
        got = labelled._replace(
            bound=bound, agreement=agreement, loss=-bound / max(1, known)
        )
        if self.training:
            observed = partial(self._observe, nodes, labels, found)
            in_training_step(observed, *got)
        return got

    def _counted(self, classes: Tensor, num_classes: int) -> Tensor:
        r"""The number of labels of each class, with those of this step."""
        labels = self.labels
        if labels.numel() == 0:
            labels = labels.new_zeros(num_classes)
        given = self.class_share
        wrong = given is not None and given.numel() != num_classes
        if wrong or labels.numel() != num_classes:
            own = labels if given is None else given
            raise ValueError(
                f"'out' must have {own.numel()} columns, the number of "
                f'classes of SemiSupervisedELBO, got {num_classes}'
            )
        one = torch.ones_like(classes, dtype=labels.dtype)
        return labels.index_add(0, classes, one)

    def _found(
        self, score: Tensor, wanted: Tensor, node: Tensor, momentum: float
    ) -> Tensor:
        r"""The classes' shares of nodes without a label."""
        old = self.found.to(wanted) if self.found.numel() > 0 else wanted
        new = (node.unsqueeze(-1) * score.softmax(dim=-1)).sum(dim=0)
        new = old.lerp(new / node.sum().clamp(min=1), momentum)
        return torch.where(node.sum() > 0, new, old)

    def _observe(self, nodes: Tensor, labels: Tensor, found: Tensor) -> None:
        r"""Counts a training step and its nodes."""
        # Not in place: a compiled step may need them in its backward pass.
        self.step = self.step + 1
        self.nodes, self.labels, self.found = nodes, labels, found

    def _share(self) -> Tensor:
        r"""The share of its weight that agreement has in the step to come, or
        in evaluation mode has had in the last one.
        """
        if self.warmup == 0:
            return torch.ones_like(self.step)
        step = self.step + 1 if self.training else self.step
        return (step / self.warmup).clamp(max=1.0)

    def _load_from_state_dict(
        self, state_dict: Mapping[str, Any], prefix: str, *args: Any
    ) -> None:
        # The number of classes may be known there and not yet here:
        for name in ('labels', 'found'):
            saved, own = state_dict.get(prefix + name), getattr(self, name)
            if isinstance(saved, Tensor) and saved.dim() == 1:
                setattr(self, name, own.new_zeros(saved.shape))
        super()._load_from_state_dict(state_dict, prefix, *args)

    def extra_repr(self) -> str:
        return (
            f'{super().extra_repr()}, weight={self.weight:.3g}, '
            f'temperature={self.temperature:.3g}, warmup={self.warmup}'
        )


def _normalized(class_share: Tensor) -> Tensor:
    r"""Shares that add up to one, from a positive number for each class."""
    check_tensor(class_share, '[C]', 'class_share')
    share = class_share.detach().float()
    if share.dim() != 1 or share.numel() < 2:
        raise ValueError(
            "'class_share' must have shape [C], one share for each class, "
            f'got {list(share.shape)}'
        )
    if not bool((share.isfinite() & (share > 0)).all()):
        raise ValueError(
            "'class_share' must be positive and finite, got "
            f'{share.tolist()}: add one to counts'
        )
    return share / share.sum()
