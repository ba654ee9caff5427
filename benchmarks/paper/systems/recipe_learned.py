from torch_geometric.data import Data

from systems.base import num_classes
from systems.recipe_learner import LearnerRecipe, Smoothed
from torch_geometric_vgcn import ClassPosterior
from torch_geometric_vgcn.posterior import Posterior


class RecipeLearned(LearnerRecipe):
    r"""The posterior is learned from the classes that the network predicts."""

    title = 'Recipe: learned'

    def posterior(self, data: Data) -> Posterior:
        return ClassPosterior(num_classes(data))


class RecipeLearnedSmoothed(Smoothed, RecipeLearned):
    title = 'Recipe: learned, smoothed'
