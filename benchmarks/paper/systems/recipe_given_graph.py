from systems.recipe_frozen import RecipeFrozen


class RecipeGivenGraph(RecipeFrozen):
    r"""Each edge of the graph is taken as certain."""

    title = 'Recipe: given graph'
    grid = {'rho1': [1 - 1e-6], 'evidence': [0.0]}
    quick = {'rho1': 1 - 1e-6, 'evidence': 0.0}
    also = ()
