from torch_geometric.data import Data

from systems.dropout_passes import DropoutPasses
from systems.recipe import Recipe, objective
from systems.recipe_learner import network


class RecipeMLP(Recipe):
    r"""The same network on a graph without edges: it sees features only."""

    title = 'Recipe: MLP'

    def model(self, data: Data) -> DropoutPasses:
        return DropoutPasses(
            network(data), data.edge_index[:, :0], objective=objective(data)
        )
