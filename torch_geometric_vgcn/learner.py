from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.nn.inits import reset

from torch_geometric_vgcn.message_passing import ConvCall, attributes_of
from torch_geometric_vgcn.message_passing.shallow_copy import evaluated
from torch_geometric_vgcn.objective import (
    Bound,
    Categorical,
    Likelihood,
    Objective,
    SemiSupervisedELBO,
    default_objective,
)
from torch_geometric_vgcn.objective.bound import in_training_step
from torch_geometric_vgcn.posterior import (
    ClassPosterior,
    FreePosterior,
    Posterior,
)
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample import (
    BinaryConcrete,
    Drawn,
    GraphSample,
    Noise,
    Sampler,
)
from torch_geometric_vgcn.utils import (
    Inputs,
    as_stack,
    check_count,
    check_kind,
    check_share,
    check_tensor,
    unchanged,
)
from torch_geometric_vgcn.utils.constraints import Instance, checked


class VariationalGraphLearner(Module):
    r"""Learns the graph of a PyG conv or model, from the `"Variational
    Inference for Graph Convolutional Networks in the Absence of Graph Data
    and Adversarial Settings" <https://arxiv.org/abs/1906.01852>`_ paper

    .. math::
        \mathbf{A}^{(s)} \sim q(\mathbf{A}), \quad
        \mathbf{F}^{(s)} = \mathrm{conv}(\mathbf{X}, \mathbf{A}^{(s)}), \quad
        \log p(\mathbf{Y} \mid \mathbf{X}) \geq \mathbb{E}_q \log
        p(\mathbf{Y} \mid \mathbf{F}) - \mathrm{KL}[q \,\|\, p].

    Args:
        conv (torch.nn.Module): The PyG conv or model.
        prior (Prior): The prior :math:`p(\mathbf{A})`.
        posterior (Posterior, optional): The parametrisation of the posterior
            :math:`q(\mathbf{A})`. It starts at the prior, unless it has
            started already: a trained one keeps what it has learned.
            (default: :obj:`FreePosterior() + ClassPosterior()` where labels
            are classes, otherwise :obj:`FreePosterior()`)
        sampler (Sampler, optional): How graphs are drawn from it.
            (default: :obj:`BinaryConcrete(temperature=0.5)`)
        objective (Objective, optional): The bound to maximise. (default:
            :class:`SemiSupervisedELBO` where labels are classes, otherwise
            :func:`~torch_geometric_vgcn.objective.default_objective`)
        likelihood (Likelihood, optional): The likelihood of the labels:
            :class:`Categorical` for classes, :class:`Gaussian` for
            regression, or :class:`MultiLabel`. (default:
            :obj:`Categorical()`)
    """

    @checked(
        conv=Instance(Module),
        prior=Instance(Prior),
        posterior=Instance(Posterior),
        sampler=Instance(Sampler),
        objective=Instance(Objective),
        likelihood=Instance(Likelihood),
    )
    def __init__(
        self,
        conv: Module,
        prior: Prior,
        posterior: Posterior | None = None,
        sampler: Sampler | None = None,
        objective: Objective | None = None,
        likelihood: Likelihood | None = None,
    ) -> None:
        super().__init__()
        if sampler is None:
            sampler = BinaryConcrete()
        if likelihood is None:
            likelihood = Categorical()
        if posterior is None:
            posterior = FreePosterior()
            if likelihood.has_classes:
                posterior = posterior + ClassPosterior()
        if objective is None:
            objective = default_objective(sampler)
            if likelihood.has_classes:
                objective = SemiSupervisedELBO(objective.kl)
        _check_classes(posterior, objective, likelihood)
        self.conv = conv
        self.prior = prior
        self.posterior = posterior
        self.sampler = sampler
        self.criterion = objective
        self.likelihood = likelihood
        self.sampler.check(prior)
        self.route = ConvCall(conv, self.sampler)
        self.posterior.start_once(prior)
        self._drawn = Drawn()
        self.inputs = Inputs()

    @property
    def sample(self) -> GraphSample | None:
        r"""The graphs that this thread drew last, except for predictions."""
        return self._drawn.last

    def reset_parameters(self) -> None:
        r"""Starts again: the conv with fresh weights, the posterior at the
        prior. An optimiser must be made after this, not before.
        """
        reset(self.conv)
        self.posterior.reset_parameters(self.prior)
        self.likelihood.reset_parameters()
        self.criterion.reset_parameters()

    def noise(
        self,
        num_samples: int = 1,
        generator: torch.Generator | None = None,
        prior: Prior | None = None,
    ) -> Noise:
        r"""Draws the randomness of :obj:`num_samples` graphs, to be used once
        or again.
        """
        return self.sampler.noise(self._prior(prior), num_samples, generator)

    def _prior(self, prior: Prior | None) -> Prior:
        if prior is None:
            return self.prior
        check_kind(prior, Prior, 'prior')
        self.sampler.check(prior)
        return prior

    def forward(
        self,
        x: Tensor,
        edge_index: Any = None,
        edge_attr: Tensor | None = None,
        *,
        num_samples: int | None = None,
        noise: Noise | None = None,
        prior: Prior | None = None,
    ) -> Tensor:
        r"""Calls the conv on graphs drawn from the posterior.

        Args:
            x (Tensor): The node features, of shape :obj:`[N, F]`. Those that
                are mostly zeros are best passed as :obj:`x.to_sparse_csr()`,
                or inside :meth:`unchanged`.
            edge_index (Any, optional): The observed graph, where the
                learner stands in for a conv, in any form that
                :class:`SmoothedPrior` takes. It must be the one that the prior
                was made from. (default: :obj:`None`)
            edge_attr (Tensor, optional): The attributes of the edges
                :obj:`edge_index`, of shape :obj:`[E, ...]`, instead of the
                prior's. (default: :obj:`None`)
            num_samples (int, optional): The number :math:`S` of graphs.
                (default: :obj:`None`, one, or as many as :obj:`noise` has)
            noise (Noise, optional): The randomness, from :meth:`noise`.
                (default: :obj:`None`, newly drawn)
            prior (Prior, optional): Another prior: that of a mini-batch
                (:obj:`learner.prior.subset(node_id)`), or one over nodes not
                seen in training. (default: :obj:`None`)

        Returns:
            The conv's output, stacked to :obj:`[S, N, C]` if there is more
            than one graph.
        """
        prior = self._prior(prior)
        if edge_index is not None:
            self.inputs.check_observed(edge_index, prior)
        self.inputs.check_features(x, prior.num_nodes)
        num_samples = _num_samples(num_samples, noise, 1)
        if noise is None:
            noise = self.noise(num_samples, prior=prior)
        sample = self.sampler(prior, self.posterior(prior, x), noise)
        attributes = attributes_of(prior, edge_index, edge_attr)
        out = self.route(self.conv, x, sample, attributes)
        self._drawn.remember(out, sample)
        return out

    def unchanged(self, x: Tensor) -> AbstractContextManager[None]:
        r"""Promises that the features :obj:`x` aren't changed inside a
        :obj:`with` block, also not by NumPy or :obj:`x.data`: if they are
        mostly zeros, they are multiplied as a sparse matrix there, which is
        faster. Sparse features (:obj:`x.to_sparse_csr()`) need no such
        promise.
        """
        check_kind(x, Tensor, 'x')
        return unchanged(x)

    def objective(
        self,
        out: Tensor,
        y: Tensor,
        mask: Tensor | None = None,
        num_labeled: int | None = None,
        kl_scale: float | Tensor = 1.0,
        sample: GraphSample | None = None,
    ) -> Bound:
        r"""The bound for an output of the learner, or of a model around it.
        In training mode, its backward pass is a training step: a posterior
        that uses labels (:class:`ClassPosterior`) takes note of them there.
        To compute a bound changes nothing.

        Args:
            out (Tensor): The output, of shape :obj:`[S, N, C]`, or
                :obj:`[N, C]` for one graph.
            y (Tensor): The labels, as the likelihood expects them: classes
                of shape :obj:`[N]` for :class:`Categorical`.
            mask (Tensor, optional): Which nodes are labelled, as a mask or as
                indices. (default: :obj:`None`, all)
            num_labeled (int, optional): The number of labelled nodes that
                those of a mini-batch stand for; then it may have none.
                (default: :obj:`None`, the number of those given)
            kl_scale (float or Tensor, optional): How many pairs each pair of
                a mini-batch stands for: one number, or one per pair (from
                :class:`~torch_geometric_vgcn.loader.PairWeight`).
                (default: :obj:`1.0`)
            sample (GraphSample, optional): The graphs that :obj:`out` came
                from: :attr:`sample` right after the call. They are known for
                each output of the learner itself, and for what was computed
                from it with gradients. (default: :obj:`None`)

        Returns:
            The :obj:`loss` to be minimised, and the :obj:`bound` with its
            parts :obj:`log_likelihood` and :obj:`kl`.
        """
        as_stack(out)
        if sample is None:
            sample = self._drawn.behind(out)
        check_kind(sample, GraphSample, 'sample')
        out = as_stack(out, len(sample))
        n, num_outputs = out.shape[1:]
        check, batch = self.likelihood.check_labels, num_labeled is not None
        self.inputs.check_labels(
            check, y, mask, n, num_outputs, allow_none=batch
        )
        self.posterior.check_outputs(num_outputs)
        observed = partial(
            self.posterior.observe, out.detach(), y, mask, sample.prior
        )
        bound = self.criterion.of_nodes(
            self.likelihood, out, y, mask, sample, num_labeled, kl_scale
        )
        if self.training:
            in_training_step(observed, *bound)
        return bound

    def bound(
        self,
        log_prob: Tensor,
        num_labeled: int | None = None,
        kl_scale: float | Tensor = 1.0,
        sample: GraphSample | None = None,
    ) -> Bound:
        r"""The bound for labels of anything else than nodes, such as links or
        whole graphs, whose log-likelihoods were computed from an output of
        the learner.

        Args:
            log_prob (Tensor): The log-likelihood of each label on each graph,
                of shape :obj:`[S, n]`, or :obj:`[n]` for one graph.
            num_labeled (int, optional): As in :meth:`objective`.
                (default: :obj:`None`)
            kl_scale (float or Tensor, optional): As in :meth:`objective`.
                (default: :obj:`1.0`)
            sample (GraphSample, optional): The graphs behind
                :obj:`log_prob`, as in :meth:`objective`.
                (default: :obj:`None`)
        """
        check_tensor(log_prob, '[S, n]', 'log_prob')
        if sample is None:
            sample = self._drawn.behind(log_prob)
        check_kind(sample, GraphSample, 'sample')
        if log_prob.dim() == 1:
            log_prob = log_prob.unsqueeze(0)
        return self.criterion(log_prob, sample, num_labeled, kl_scale)

    @torch.no_grad()
    def predict(
        self,
        x: Tensor,
        num_samples: int | None = None,
        prior: Prior | None = None,
        noise: Noise | None = None,
    ) -> Any:
        r"""The predictive distribution
        :math:`\frac{1}{S} \sum_s p(\mathbf{y} \mid \mathbf{X},
        \mathbf{A}^{(s)})` of each node's label: for :class:`Categorical` the
        class probabilities, of shape :obj:`[N, C]`, for :class:`Gaussian` a
        :class:`GaussianPrediction` with mean and variance, for
        :class:`MultiLabel` the probabilities of the labels, of shape
        :obj:`[N, L]`.

        Args:
            x (Tensor): The node features, of shape :obj:`[N, F]`.
            num_samples (int, optional): The number :math:`S` of graphs.
                (default: :obj:`None`, 16, or as many as :obj:`noise` has)
            prior (Prior, optional): Another prior, as in :meth:`forward`.
                (default: :obj:`None`)
            noise (Noise, optional): The randomness of all graphs, from
                :meth:`noise`. (default: :obj:`None`, newly drawn)
        """
        prior = self._prior(prior)
        self.inputs.check_features(x, prior.num_nodes)
        num_samples = _num_samples(num_samples, noise, 16)
        if not self.sampler.random:  # all graphs are the same
            num_samples = 1
        # Copies in evaluation mode: predictions change nothing, so several
        # threads can make them at once.
        conv, posterior = evaluated(self.conv), evaluated(self.posterior)
        logits = posterior(prior, x)
        attributes = attributes_of(prior)
        # At most 2^20 edge weights in memory at once:
        together = max(1, 2**20 // max(1, len(prior.pairs)))
        total: Tensor | None = None
        for start in range(0, num_samples, together):
            count = min(together, num_samples - start)
            if noise is None:
                part = self.noise(count, prior=prior)
            else:
                part = noise[start : start + count]
            sample = self.sampler(prior, logits, part)
            mean = self.likelihood.mean(
                self.route(conv, x, sample, attributes)
            )
            mean = mean.sum(dim=0) if count > 1 else mean
            total = mean if total is None else total + mean
        assert total is not None
        return self.likelihood.calibrated(total / num_samples)

    def edge_probs(
        self, x: Tensor | None = None, prior: Prior | None = None
    ) -> Tensor:
        r"""The posterior's limit probabilities :math:`\sigma(\theta_{ij})`,
        of shape :obj:`[P]`, in evaluation mode, as for predictions. The
        features are needed by posteriors that see them.
        """
        prior = self._prior(prior)
        if x is not None:
            self.inputs.check_features(x, prior.num_nodes)
        return evaluated(self.posterior)(prior, x).sigmoid()

    @torch.no_grad()
    def learned_graph(
        self,
        threshold: float = 0.5,
        x: Tensor | None = None,
        prior: Prior | None = None,
    ) -> Data:
        r"""The edges whose probability is at least :obj:`threshold`, as a PyG
        graph with :obj:`edge_index` (both directions) and :obj:`edge_prob`.
        :func:`torch_geometric.utils.to_networkx` takes it as it is.
        """
        check_share(threshold, 'threshold')
        prob = self.edge_probs(x, prior)
        prior = self._prior(prior)
        kept = (prob >= threshold).nonzero().view(-1)
        index, prob = prior.pairs.index[:, kept], prob[kept]
        return Data(
            edge_index=torch.cat([index, index.flip(0)], dim=1),
            edge_prob=torch.cat([prob, prob]),
            num_nodes=prior.num_nodes,
        )

    def extra_repr(self) -> str:
        lines = [f'route={self.route}', self.sampler.describe(self.prior)]
        return '\n'.join(line for line in lines if line)


def _check_classes(
    posterior: Posterior, objective: Objective, likelihood: Likelihood
) -> None:
    r"""Expects a likelihood of classes where a part needs them."""
    if likelihood.has_classes:
        return
    parts = {'posterior': posterior, 'objective': objective}
    for name, module in parts.items():
        for part in module.modules():
            if getattr(part, 'needs_classes', False):
                raise ValueError(
                    f"'{name}' has a {type(part).__name__}, which needs "
                    'labels that are classes (Categorical), got the '
                    f'likelihood {type(likelihood).__name__}: use another '
                    f'{name}'
                )


def _num_samples(given: int | None, noise: Noise | None, default: int) -> int:
    r"""The number of graphs to draw, or of those that :obj:`noise` is for."""
    if given is not None:
        given = check_count(given, 'num_samples', least=1)
    if noise is None:
        return default if given is None else given
    check_kind(noise, Noise, 'noise')
    if given is not None and given != len(noise):
        raise ValueError(
            f"'num_samples' must be the {len(noise)} graphs that 'noise' is "
            f'for, or be left out, got {given}'
        )
    return check_count(len(noise), 'len(noise)', least=1)
