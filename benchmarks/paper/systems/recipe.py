r"""The library's recipe and its controls, which differ in the graph alone."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from torch.nn import Module
from torch.nn.functional import normalize
from torch_geometric import seed_everything
from torch_geometric.data import Data

from benchmarks.paper.systems.base import (
    LearnedGraph,
    Outcome,
    System,
    num_classes,
    with_fast_features,
)
from benchmarks.paper.systems.sage import SAGENet
from torch_geometric_vgcn import (
    BinaryConcrete,
    EvidencePrior,
    FixedGraph,
    FreePosterior,
    LogisticKL,
    SemiSupervisedELBO,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
    fitted_prior,
)
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.objective import KL, default_objective
from torch_geometric_vgcn.prior import (
    ConstantPrior,
    Prior,
    cosine_similarity,
    negative_distance,
)
from torch_geometric_vgcn.sample import (
    PosteriorMean,
    Sampler,
    StraightThroughBernoulli,
)

HIDDEN = 64
#: The number of graphs for prediction.
NUM_SAMPLES = 16


class Recipe(System):
    r"""The way of training that all controls share, so that they differ in
    nothing but the graph: rows of Euclidean norm one, and the bound in which
    the classes of nodes without a label are latent, and as frequent as among
    the validation nodes.
    """

    @abstractmethod
    def model(
        self, data: Data, **settings: Any
    ) -> VariationalGraphLearner | FixedGraph:
        r"""The network with its graph. :obj:`data.x` is scaled and dense."""

    def train(
        self, data: Data, seed: int, epochs: int = 120, **settings: Any
    ) -> Outcome:
        seed_everything(seed)
        data = with_unit_rows(data)
        model = self.model(data, **settings)
        data = with_fast_features(data)
        options = {'epochs': epochs, 'lr': 0.02, 'patience': 40}
        result = fit(model, data, progress=False, **options)
        prob = model.predict(data.x, num_samples=NUM_SAMPLES)
        if isinstance(model, FixedGraph):
            return Outcome.of_fit(prob, result)
        return Outcome.of_fit(prob, result, LearnedGraph.of(model, data.x))


def evidence_prior(data: Data, rho1: float, evidence: float) -> Prior:
    r"""The edges of the graph, with feature similarity as evidence."""
    prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1)
    if evidence == 0:
        return prior
    words = is_bag_of_words(data)
    similarity = cosine_similarity if words else negative_distance
    return EvidencePrior(prior, data.x, evidence, similarity)


def equal_prior(data: Data, **settings: float) -> Prior:
    r"""As many edges as :func:`evidence_prior` has on average, each of them
    equally probable.
    """
    prior = evidence_prior(data, **settings)
    rho = float(prior.logits.double().sigmoid().mean())
    return ConstantPrior(prior.pairs, rho)


def prior_by_data(data: Data, caution: float) -> Prior:
    r"""How far to trust the graph is found by data."""
    return fitted_prior(with_fast_features(data), caution=caution)


TRUST = (
    {'rho1': 0.1, 'evidence': 2.0},
    {'rho1': 0.5, 'evidence': 4.0},
    {'rho1': 0.99, 'evidence': 2.0},
)


@dataclass(frozen=True)
class LearnerRecipe(Recipe):
    r"""The recipe on graphs that are drawn.

    Args:
        title (str): The name in tables.
        settings (Sequence[Mapping], optional): Arguments of the prior.
        learn (bool, optional): Whether the default posterior is learned; if
            not, it is kept at the prior. (default: :obj:`True`)
        sampler (Callable, optional): How graphs are drawn.
            (default: :class:`BinaryConcrete`)
        prior (Callable, optional): Makes the prior.
            (default: :func:`evidence_prior`)
    """

    title: str
    settings: Sequence[Mapping[str, Any]] = TRUST
    learn: bool = True
    sampler: Callable[[], Sampler] = BinaryConcrete
    prior: Callable[..., Prior] = evidence_prior

    def model(self, data: Data, **settings: Any) -> VariationalGraphLearner:
        sampler = self.sampler()
        learner = VariationalGraphLearner(
            network(data),
            self.prior(data, **settings),
            None if self.learn else FreePosterior(),
            sampler,
            objective(data, default_objective(sampler).kl),
        )
        learner.posterior.requires_grad_(self.learn)
        return learner


class RecipeMLP(Recipe):
    r"""The same network on a graph without edges: it sees features only."""

    title = 'Recipe: MLP'

    def model(self, data: Data) -> FixedGraph:
        return FixedGraph(
            network(data), data.edge_index[:, :0], objective=objective(data)
        )


class RecipeSAGE(Recipe):
    r"""GraphSAGE with means of all neighbours, in place of the propagation
    network, on the graph as it is.
    """

    title = 'Recipe: SAGE'

    def model(self, data: Data) -> FixedGraph:
        net: Module = SAGENet(
            data.num_features, HIDDEN, num_classes(data), input_dropout(data)
        )
        return FixedGraph(net, data.edge_index, objective=objective(data))


def network(data: Data) -> PropagatedMLP:
    return PropagatedMLP(
        data.num_features,
        HIDDEN,
        num_classes(data),
        input_dropout=input_dropout(data),
    )


def objective(data: Data, kl: KL | None = None) -> SemiSupervisedELBO:
    r"""The bound, with the shares of classes among the validation nodes:
    unlike those for training, they are always a random sample.
    """
    classes = num_classes(data)
    count = data.y[data.val_mask].bincount(minlength=classes)
    return SemiSupervisedELBO(kl or LogisticKL(), class_share=count + 1)


def input_dropout(data: Data) -> float:
    r"""More for bags of words, which are mostly zeros, than for
    measurements.
    """
    return 0.8 if float((data.x != 0).float().mean()) < 0.1 else 0.5


def is_bag_of_words(data: Data) -> bool:
    r"""Whether features are counts or shares, not standardised."""
    return bool((data.x >= 0).all())


def with_unit_rows(data: Data) -> Data:
    r"""The data with rows of Euclidean norm one, or as they are if they are
    standardised.
    """
    data = copy(data)
    if is_bag_of_words(data):
        data.x = normalize(data.x, dim=-1)
    return data


_SMOOTHED = ({'rho1': 0.5, 'evidence': 0.0},)
_FITTED = {'settings': ({'caution': 1.0},), 'prior': prior_by_data}
_CAUTIOUS = {'settings': ({'caution': 3.0},), 'prior': prior_by_data}
_GIVEN = ({'rho1': 1 - 1e-6, 'evidence': 0.0},)
_FROZEN = {'learn': False}

RECIPES: tuple[Recipe, ...] = (
    LearnerRecipe('Recipe: learned'),
    LearnerRecipe('Recipe: frozen', **_FROZEN),
    # The prior's edge probabilities as edge weights: nothing is sampled.
    LearnerRecipe('Recipe: prior mean', sampler=PosteriorMean, **_FROZEN),
    # https://arxiv.org/abs/1907.10903
    LearnerRecipe(
        'Recipe: DropEdge',
        sampler=StraightThroughBernoulli,
        prior=equal_prior,
        **_FROZEN,
    ),
    LearnerRecipe('Recipe: given graph', _GIVEN, **_FROZEN),
    RecipeMLP(),
    RecipeSAGE(),
    LearnerRecipe('Recipe: learned, trust 0.5', TRUST[1:2]),
    LearnerRecipe('Recipe: frozen, trust 0.5', TRUST[1:2], **_FROZEN),
    LearnerRecipe('Recipe: learned, trust 0.99', TRUST[2:]),
    LearnerRecipe('Recipe: frozen, trust 0.99', TRUST[2:], **_FROZEN),
    LearnerRecipe('Recipe: learned, smoothed', _SMOOTHED),
    LearnerRecipe('Recipe: frozen, smoothed', _SMOOTHED, **_FROZEN),
    LearnerRecipe('Recipe: fitted prior', **_FITTED),
    LearnerRecipe('Recipe: fitted prior, frozen', **_FITTED, **_FROZEN),
    # For data that somebody may have attacked:
    LearnerRecipe('Recipe: cautious prior', **_CAUTIOUS),
)
