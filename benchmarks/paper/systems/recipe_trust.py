r"""Learned and frozen at the other two settings of trust, without a choice."""

from systems.recipe_frozen import RecipeFrozen
from systems.recipe_learned import RecipeLearned


class Half:
    r"""Half of the edges are believed, and similarity counts twice."""

    grid = {'rho1': [0.5], 'evidence': [4.0]}
    quick = {'rho1': 0.5, 'evidence': 4.0}
    also = ()


class Believed:
    r"""The graph is believed."""

    grid = {'rho1': [0.99], 'evidence': [2.0]}
    quick = {'rho1': 0.99, 'evidence': 2.0}
    also = ()


class RecipeLearnedHalf(Half, RecipeLearned):
    title = 'Recipe: learned, trust 0.5'


class RecipeFrozenHalf(Half, RecipeFrozen):
    title = 'Recipe: frozen, trust 0.5'


class RecipeLearnedBelieved(Believed, RecipeLearned):
    title = 'Recipe: learned, trust 0.99'


class RecipeFrozenBelieved(Believed, RecipeFrozen):
    title = 'Recipe: frozen, trust 0.99'
