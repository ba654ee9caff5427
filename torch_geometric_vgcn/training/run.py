"""What the ways of training share: optimisers, epochs, checkpoints."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer
from torch_geometric.data import Data
from tqdm import tqdm

from torch_geometric_vgcn.checks import check_features, check_labels
from torch_geometric_vgcn.objective import Bound
from torch_geometric_vgcn.training.owned_logits import OwnedLogits
from torch_geometric_vgcn.training.ranks import Ranks


@dataclass
class Fit:
    r"""What :func:`fit` or :func:`fit_batches` found out.

    Args:
        best_epoch (int): The epoch whose state the model was left in.
        val_acc (float): Its validation accuracy.
        val_nll (float): Its mean negative validation log-likelihood.
        history (List[Dict[str, float]]): For each epoch the loss, the parts
            of the bound, and the validation accuracy and log-likelihood.
    """

    best_epoch: int = -1
    val_acc: float = -1.0
    val_nll: float = float('inf')
    history: list[dict[str, float]] = field(default_factory=list)


def evaluate(prob: Tensor, y: Tensor, mask: Tensor) -> tuple[float, float]:
    r"""The accuracy and mean negative log-likelihood of class probabilities
    on the nodes that :obj:`mask` selects.
    """
    prob, y = prob[mask], y[mask]
    hit = prob.argmax(dim=-1) == y
    likelihood = prob.gather(-1, y.unsqueeze(-1)).clamp(min=1e-12)
    return float(hit.float().mean()), -float(likelihood.log().mean())


def make_optimizers(
    learner: Module,
    sparse: list[Tensor],
    lr: float,
    logit_lr: float,
    weight_decay: float,
) -> list[Optimizer]:
    r"""Adam for the network's weights, which decay, and for the posterior's
    parameters, which don't; SparseAdam for those with sparse gradients.
    """
    posterior = getattr(learner, 'posterior', None)
    logits = [] if posterior is None else list(posterior.parameters())
    ids = {id(parameter) for parameter in logits}
    weights = [p for p in learner.parameters() if id(p) not in ids]
    ids = {id(parameter) for parameter in sparse}
    dense = [p for p in logits if id(p) not in ids]
    groups = [
        {'params': weights, 'lr': lr, 'weight_decay': weight_decay},
        {'params': dense, 'lr': logit_lr},
    ]
    optimizers: list[Optimizer] = [torch.optim.Adam(groups, fused=True)]
    if sparse:
        optimizers.append(torch.optim.SparseAdam(sparse, lr=logit_lr))
    return optimizers


def check_finite(loss: Tensor, epoch: int) -> None:
    if not torch.isfinite(loss):
        raise FloatingPointError(
            f'the loss became {loss.item()} in epoch {epoch}: '
            "lower 'lr' or 'logit_lr'"
        )


class Run:
    r"""A training run, with its whole state to be saved and gone on from.

    Args:
        learner (torch.nn.Module): What to train.
        data (torch_geometric.data.Data): The data.
        settings (Dict[str, float]): What must be the same to go on from a
            checkpoint, with :obj:`epochs`, :obj:`lr`, :obj:`logit_lr`,
            :obj:`weight_decay`, :obj:`num_samples` and :obj:`patience`.
        ranks (Ranks, optional): The processes that take part.
            (default: :obj:`None`, this one)
    """

    def __init__(
        self,
        learner: Module,
        data: Data,
        settings: dict[str, float],
        ranks: Ranks | None = None,
    ) -> None:
        for name, value in settings.items():
            if not value >= (0 if name == 'weight_decay' else 1e-30):
                raise ValueError(f"'{name}' must be positive, got {value}")
        n = data.num_nodes or 0
        check_features(data.x, n, 'data.x')
        check_labels(data.y, data.train_mask, n, 'data.train_mask')
        check_labels(data.y, data.val_mask, n, 'data.val_mask')
        self.learner = learner
        self.data = data
        self.settings = settings
        self.ranks = ranks or Ranks()
        self.device = data.x.device
        self.logits = OwnedLogits(learner, self.ranks)
        self.optimizers = make_optimizers(
            learner,
            list(self.logits.parameters.values()),
            settings['lr'],
            settings['logit_lr'],
            settings['weight_decay'],
        )
        self.result = Fit()
        self.best: dict[str, Any] = {}

    def zero_grad(self) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad()

    def step(self) -> None:
        for optimizer in self.optimizers:
            optimizer.step()

    def train(
        self,
        train_epoch: Callable[[int], Bound],
        predict: Callable[[], Tensor],
        checkpoint: str | Path | None,
        checkpoint_every: int,
        progress: bool,
    ) -> Fit:
        r"""Trains epoch by epoch until validation gets no better.

        Args:
            train_epoch (Callable): Does one epoch's steps, and returns the
                bound of all the data.
            predict (Callable): Returns the class probabilities :obj:`[N, C]`.
            checkpoint (str or Path, optional): The file to save to.
            checkpoint_every (int): After how many epochs to save.
            progress (bool): Whether to show a progress bar.
        """
        if checkpoint is not None and Path(checkpoint).exists():
            self.load(Path(checkpoint))
        result, ranks = self.result, self.ranks
        epochs, patience = self.settings['epochs'], self.settings['patience']
        start = len(result.history)
        with tqdm(
            total=int(epochs),
            initial=start,
            disable=not progress or ranks.rank > 0,
            leave=False,
        ) as bar:
            for epoch in range(start, int(epochs)):
                if epoch - result.best_epoch > patience:
                    break
                self.learner.train()
                bound = train_epoch(epoch)
                self.logits.gather()
                # One process looks, so that all take the same for the best:
                acc, nll = ranks.from_first(
                    lambda: evaluate(
                        predict(), self.data.y, self.data.val_mask
                    )
                )
                row = {k: v.item() for k, v in bound._asdict().items()}
                result.history.append({**row, 'val_acc': acc, 'val_nll': nll})
                if (acc, -nll) > (result.val_acc, -result.val_nll):
                    result.best_epoch, result.val_acc = epoch, acc
                    result.val_nll = nll
                    self.keep_best()
                if (
                    checkpoint is not None
                    and (epoch + 1) % checkpoint_every == 0
                ):
                    self.save(Path(checkpoint))
                bar.set_postfix(loss=f'{row["loss"]:.3f}', val=f'{acc:.3f}')
                bar.update()

        if checkpoint is not None:
            self.save(Path(checkpoint))
        self.restore_best()
        return result

    def keep_best(self) -> None:
        self.best = {
            name: value.clone() if isinstance(value, Tensor) else value
            for name, value in self.learner.state_dict().items()
        }

    def restore_best(self) -> None:
        self.learner.load_state_dict(self.best)

    def save(self, path: Path) -> None:
        self.logits.gather_moments(self.optimizers)
        state = {
            'settings': self.settings,
            'learner': self.learner.state_dict(),
            'optimizers': [o.state_dict() for o in self.optimizers],
            'best': self.best,
            'result': asdict(self.result),
            'rng': self.ranks.all_of(torch.get_rng_state()),
        }
        if self.device.type == 'cuda':
            device_rng = torch.cuda.get_rng_state(self.device)
            state['device_rng'] = self.ranks.all_of(device_rng)
        if self.ranks.rank > 0:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        # A run that is killed while it writes leaves the last file whole:
        part = path.with_name(path.name + '.part')
        torch.save(state, part)
        part.replace(path)

    def load(self, path: Path) -> None:
        state = torch.load(path, weights_only=True, map_location=self.device)
        settings = {**self.settings, 'processes': self.ranks.world}
        given = {**state['settings'], 'processes': len(state['rng'])}
        if given != settings:
            raise ValueError(
                f"'checkpoint' {path} was made with {given}, "
                f'got {settings}: give the same settings or remove it'
            )
        self.learner.load_state_dict(state['learner'])
        for optimizer, saved in zip(
            self.optimizers, state['optimizers'], strict=True
        ):
            optimizer.load_state_dict(saved)
        self.best = state['best']
        self.result = Fit(**state['result'])
        rank = self.ranks.rank
        torch.set_rng_state(state['rng'][rank].cpu())
        if self.device.type == 'cuda':
            device_rng = state['device_rng'][rank].cpu()
            torch.cuda.set_rng_state(device_rng, self.device)
