from systems.recipe_learner import LearnerRecipe, Smoothed


class RecipeLearned(LearnerRecipe):
    r"""The default posterior: one logit per pair, learned by the gradient of
    the bound, and the classes that the network predicts.
    """

    title = 'Recipe: learned'


class RecipeLearnedSmoothed(Smoothed, RecipeLearned):
    title = 'Recipe: learned, smoothed'
