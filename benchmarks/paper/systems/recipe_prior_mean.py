from systems.recipe_frozen import RecipeFrozen
from torch_geometric_vgcn.sample import PosteriorMean, Sampler


class RecipePriorMean(RecipeFrozen):
    r"""The prior's edge probabilities as edge weights: nothing is sampled."""

    title = 'Recipe: prior mean'

    def sampler(self) -> Sampler:
        return PosteriorMean()
