from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.nn.inits import reset

from torch_geometric_vgcn.checks import check_features, check_labels
from torch_geometric_vgcn.checks.once import CheckOnce
from torch_geometric_vgcn.message_passing import attributes_of, choose_route
from torch_geometric_vgcn.objective import (
    ELBO,
    IWELBO,
    BernoulliKL,
    Bound,
    Categorical,
    LogisticKL,
    Objective,
)
from torch_geometric_vgcn.posterior import FreePosterior, Posterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample import (
    BinaryConcrete,
    GraphSample,
    Noise,
    Sampler,
)


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
            :math:`q(\mathbf{A})`. (default: :obj:`FreePosterior()`)
        sampler (Sampler, optional): How graphs are drawn from it.
            (default: :obj:`BinaryConcrete(temperature=0.5)`)
        objective (Objective, optional): The bound to maximise.
            (default: :obj:`IWELBO(LogisticKL(0.5), beta=0.01)` for relaxed
            samples, else :obj:`ELBO(BernoulliKL(), beta=0.01)`)
        likelihood (Categorical, optional): The likelihood of the labels.
            (default: :obj:`Categorical()`)
    """

    def __init__(
        self,
        conv: Module,
        prior: Prior,
        posterior: Posterior | None = None,
        sampler: Sampler | None = None,
        objective: Objective | None = None,
        likelihood: Categorical | None = None,
    ) -> None:
        super().__init__()
        self.conv = conv
        self.prior = prior
        self.posterior = posterior or FreePosterior()
        self.sampler = sampler or BinaryConcrete()
        if objective is None:
            if isinstance(self.sampler, BinaryConcrete):
                objective = IWELBO(LogisticKL())
            else:
                objective = ELBO(BernoulliKL())
        self.bound = objective
        self.likelihood = likelihood or Categorical()
        self.sampler.check(prior)
        self.route = choose_route(conv, prior.pairs, self.sampler)
        self.posterior.start_at(prior)
        self.sample: GraphSample | None = None
        self._once = CheckOnce()

    def reset_parameters(self) -> None:
        r"""Starts anew: the conv with fresh weights, the posterior at the
        prior. An optimiser must be made after this, not before.
        """
        reset(self.conv)
        self.posterior.start_at(self.prior)

    def noise(
        self,
        num_samples: int = 1,
        generator: torch.Generator | None = None,
        prior: Prior | None = None,
    ) -> Noise:
        r"""Draws the randomness of :obj:`num_samples` graphs, to be used once
        or again.
        """
        if num_samples < 1:
            raise ValueError(
                f"'num_samples' must be at least 1, got {num_samples}"
            )
        return self.sampler.noise(prior or self.prior, num_samples, generator)

    def forward(
        self,
        x: Tensor,
        edge_index: Any = None,
        edge_attr: Tensor | None = None,
        *,
        num_samples: int = 1,
        noise: Noise | None = None,
        prior: Prior | None = None,
    ) -> Tensor:
        r"""Calls the conv on graphs drawn from the posterior.

        Args:
            x (Tensor): The node features, of shape :obj:`[N, F]`.
            edge_index (Any, optional): The observed graph, where the
                learner stands in for a conv, in any form that
                :class:`SmoothedPrior` takes. It must be the one that the prior
                was made from. (default: :obj:`None`)
            edge_attr (Tensor, optional): The attributes of the edges
                :obj:`edge_index`, of shape :obj:`[E, ...]`, instead of the
                prior's. (default: :obj:`None`)
            num_samples (int, optional): The number :math:`S` of graphs.
                (default: :obj:`1`)
            noise (Noise, optional): The randomness, from :meth:`noise`.
                (default: :obj:`None`, drawn anew)
            prior (Prior, optional): Another prior: that of a mini-batch
                (:obj:`learner.prior.subset(node_id)`), or one over nodes not
                seen in training. (default: :obj:`None`)

        Returns:
            The conv's output, stacked to :obj:`[S, N, C]` if there is more
            than one graph.
        """
        if edge_index is not None:
            self.check_observed(edge_index)
        prior = prior or self.prior
        if not x.requires_grad:
            n = prior.num_nodes
            self._once(f'x[{n}]', lambda x: check_features(x, n), x)
        if noise is None:
            noise = self.noise(num_samples, prior=prior)
        self.sample = self.sampler(prior, self.posterior(prior, x), noise)
        attributes = attributes_of(prior, edge_index, edge_attr)
        return self.route(self.conv, x, self.sample, attributes)

    def check_observed(self, edge_index: Any) -> None:
        r"""Raises an error if :obj:`edge_index` isn't the graph that the prior
        was made from.
        """
        if isinstance(edge_index, Tensor):
            self._once('edge_index', self.prior.check_observed, edge_index)
        else:
            self.prior.check_observed(edge_index)

    def objective(
        self,
        out: Tensor,
        y: Tensor,
        mask: Tensor | None = None,
        num_labeled: int | None = None,
        kl_scale: float | Tensor = 1.0,
    ) -> Bound:
        r"""The bound for what the learner, or the model around it, put out
        last.

        Args:
            out (Tensor): The output, of shape :obj:`[S, N, C]`, or
                :obj:`[N, C]` for one graph.
            y (Tensor): The classes, of shape :obj:`[N]`.
            mask (Tensor, optional): Which nodes are labelled, as a mask or as
                indices. (default: :obj:`None`, all)
            num_labeled (int, optional): The number of labelled nodes that
                those of a mini-batch stand for; then it may have none.
                (default: :obj:`None`, as many as there are)
            kl_scale (float or Tensor, optional): How many pairs each pair of
                a mini-batch stands for: one number, or one a pair (from
                :class:`~torch_geometric_vgcn.loader.PairWeight`).
                (default: :obj:`1.0`)

        Returns:
            The :obj:`loss` to be minimised, and the :obj:`bound` with its
            parts :obj:`log_likelihood` and :obj:`kl`.
        """
        if self.sample is None:
            raise RuntimeError(
                'no graph was sampled yet: call the learner before its '
                'objective'
            )
        out = out if out.dim() > 2 else out.unsqueeze(0)
        if out.size(0) != len(self.sample):
            raise ValueError(
                f"'out' must hold {len(self.sample)} outputs, one for each "
                f'graph that was sampled last, got shape {list(out.shape)}'
            )
        if mask is None:
            mask = torch.arange(out.size(1), device=out.device)
        else:
            n, batch = out.size(1), num_labeled is not None
            self._once(
                'y',
                lambda y, m: check_labels(y, m, n, allow_none=batch),
                y,
                mask,
            )
        log_prob = self.likelihood.log_prob(out[:, mask], y[mask])
        return self.bound(log_prob, self.sample, num_labeled, kl_scale)

    @torch.no_grad()
    def predict(
        self,
        x: Tensor,
        num_samples: int = 16,
        prior: Prior | None = None,
        noise: Noise | None = None,
    ) -> Tensor:
        r"""The predictive class probabilities
        :math:`\frac{1}{S} \sum_s p(\mathbf{y} \mid \mathbf{X},
        \mathbf{A}^{(s)})`, of shape :obj:`[N, C]`.

        Args:
            x (Tensor): The node features, of shape :obj:`[N, F]`.
            num_samples (int, optional): The number :math:`S` of graphs.
                (default: :obj:`16`)
            prior (Prior, optional): Another prior, as in :meth:`forward`.
                (default: :obj:`None`)
            noise (Noise, optional): The randomness of all graphs, from
                :meth:`noise`, which then tells their number.
                (default: :obj:`None`, drawn anew)
        """
        if noise is not None:
            num_samples = len(noise)
        if num_samples < 1:
            raise ValueError(
                f"'num_samples' must be at least 1, got {num_samples}"
            )
        # As many graphs at a time as are cheap to hold:
        num_pairs = len((prior or self.prior).pairs)
        together = max(1, 2**20 // max(1, num_pairs))
        training, sample = self.training, self.sample
        self.eval()
        try:
            parts = []
            for start in range(0, num_samples, together):
                count = min(together, num_samples - start)
                part = noise and noise[start : start + count]
                out = self(x, num_samples=count, prior=prior, noise=part)
                mean = self.likelihood.mean(out)
                parts.append(mean.sum(dim=0) if count > 1 else mean)
        finally:
            self.train(training)
            self.sample = sample
        return torch.stack(parts).sum(dim=0) / num_samples

    def edge_probs(
        self, x: Tensor | None = None, prior: Prior | None = None
    ) -> Tensor:
        r"""The posterior's limit probabilities :math:`\sigma(\theta_{ij})`,
        of shape :obj:`[P]`. The features are needed by posteriors that see
        them.
        """
        return self.posterior(prior or self.prior, x).sigmoid()

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
        if not 0 <= threshold <= 1:
            raise ValueError(
                f"'threshold' must lie in [0, 1], got {threshold}"
            )
        prior = prior or self.prior
        prob = self.edge_probs(x, prior)
        kept = (prob >= threshold).nonzero().view(-1)
        index, prob = prior.pairs.index[:, kept], prob[kept]
        return Data(
            edge_index=torch.cat([index, index.flip(0)], dim=1),
            edge_prob=torch.cat([prob, prob]),
            num_nodes=prior.num_nodes,
        )

    def __getstate__(self) -> dict[str, Any]:
        # The last sample belongs to an autograd graph: not to be copied.
        return {**self.__dict__, 'sample': None}

    def extra_repr(self) -> str:
        lines = [f'route={self.route}']
        if isinstance(self.sampler, BinaryConcrete) and (
            self.prior.has_background
        ):
            epsilon = self.sampler.threshold(self.prior)
            lines.append(
                f'background pairs: kept above {epsilon:.2g}, a node loses '
                f'{self.sampler.tolerance:.2g} of weight at most'
            )
        return '\n'.join(lines)
