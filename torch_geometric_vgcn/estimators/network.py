from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import Linear, Module
from torch.nn.init import kaiming_uniform_, uniform_
from torch.nn.utils import skip_init
from torch.optim.lr_scheduler import OneCycleLR

from torch_geometric_vgcn.estimators.targets import Targets

LR = 0.01
DROPOUT = 0.5
#: How many rows are predicted at a time.
BLOCK = 8192


@dataclass(frozen=True)
class Regularization:
    r"""How strongly a network is kept from overfitting.

    Args:
        name (str): A word for it.
        input_dropout (float): The share of features to drop.
        weight_decay (float): The L2 penalty.
    """

    name: str
    input_dropout: float
    weight_decay: float

    def __str__(self) -> str:
        return f'{self.name} regularisation'


#: What held-out labels choose from.
REGULARIZATIONS = (
    Regularization('light', 0.0, 1e-4),
    Regularization('medium', 0.3, 1e-3),
    Regularization('strong', 0.5, 1e-2),
)
#: The regularisation if no label can choose one.
DEFAULT = REGULARIZATIONS[1]


class Network(Module):
    r"""A multilayer perceptron with one hidden layer: what a row's features
    say by themselves.

    Args:
        in_channels (int): The number of features.
        hidden_channels (int): The number of hidden units.
        out_channels (int): The number of outputs.
        regularization (Regularization): That of its training.
        generator (torch.Generator): The source of all its randomness.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        regularization: Regularization,
        generator: torch.Generator,
    ) -> None:
        super().__init__()
        self.regularization = regularization
        self.generator = generator
        self.hidden = self._linear(in_channels, hidden_channels)
        self.out = self._linear(hidden_channels, out_channels)

    def _linear(self, in_channels: int, out_channels: int) -> Linear:
        r"""A layer with weights as PyTorch's own, drawn by the generator."""
        layer = skip_init(
            Linear, in_channels, out_channels, device=self.generator.device
        )
        kaiming_uniform_(layer.weight, 5**0.5, generator=self.generator)
        bound = in_channels**-0.5
        uniform_(layer.bias, -bound, bound, generator=self.generator)
        return layer

    def _dropout(self, x: Tensor, share: float) -> Tensor:
        r"""PyTorch's dropout, drawn by the generator."""
        if not self.training or share == 0:
            return x
        kept = torch.empty_like(x)
        kept.bernoulli_(1 - share, generator=self.generator)
        return x * kept.div_(1 - share)

    def forward(self, x: Tensor) -> Tensor:
        x = self._dropout(x, self.regularization.input_dropout)
        return self.out(self._dropout(self.hidden(x).relu(), DROPOUT))

    @torch.no_grad()
    def predict(self, x: Tensor, targets: Targets) -> Tensor:
        r"""What it says of all rows."""
        self.eval()
        return torch.cat([targets.mean(self(b)) for b in x.split(BLOCK)])

    def learn(
        self,
        x: Tensor,
        groups: list[tuple[Tensor, Tensor]],
        targets: Targets,
        steps: int,
        batch_size: int,
    ) -> None:
        r"""Trains by mini-batches, in which each group of rows is as large.

        Args:
            x (Tensor): The features of all rows.
            groups (list): Rows, and their targets: those with a label, and
                those without.
            targets (Targets): What it is trained for.
            steps (int): The number of steps.
            batch_size (int): The number of rows per step.
        """
        self.train()
        decay = self.regularization.weight_decay
        optimizer = torch.optim.Adam(
            self.parameters(), LR, weight_decay=decay, fused=True
        )
        rate = OneCycleLR(optimizer, LR, total_steps=steps)
        size = max(1, batch_size // len(groups))
        for _ in range(steps):
            loss = torch.zeros((), device=x.device)
            for rows, target in groups:
                if rows.numel() > size:
                    some = torch.randint(
                        rows.numel(),
                        (size,),
                        generator=self.generator,
                        device=x.device,
                    )
                    rows, target = rows[some], target[some]
                loss = loss + targets.loss(self(x[rows]), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            rate.step()
