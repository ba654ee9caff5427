from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data
from tqdm import tqdm

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.validate import check_features, check_labels


@dataclass
class Fit:
    r"""What :func:`fit` found out.

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


def fit(
    learner: VariationalGraphLearner | FixedGraph,
    data: Data,
    *,
    epochs: int = 500,
    lr: float = 0.01,
    logit_lr: float = 0.01,
    weight_decay: float = 5e-4,
    num_samples: int = 3,
    patience: int = 100,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 25,
    progress: bool = True,
) -> Fit:
    r"""Trains a learner on one graph with Adam, and leaves it in the state of
    the best validation accuracy (of equal ones, the best likelihood).

    The same seed (:func:`torch_geometric.seed_everything`) gives the same
    result, also when the run was cut off and goes on from its checkpoint.

    Args:
        learner (VariationalGraphLearner or FixedGraph): What to train.
        data (torch_geometric.data.Data): The data, with :obj:`x`, :obj:`y`,
            :obj:`train_mask` and :obj:`val_mask`.
        epochs (int, optional): The number of steps at most.
            (default: :obj:`500`)
        lr (float, optional): The learning rate of the network's weights.
            (default: :obj:`0.01`)
        logit_lr (float, optional): The learning rate of the posterior.
            (default: :obj:`0.01`)
        weight_decay (float, optional): The L2 penalty on the network's
            weights; the posterior has none. (default: :obj:`5e-4`)
        num_samples (int, optional): The number of graphs a step, in training
            as in validation. (default: :obj:`3`)
        patience (int, optional): After how many epochs without a better one
            to stop. (default: :obj:`100`)
        checkpoint (str or Path, optional): A file to save the run in, and to
            go on from if it's there. (default: :obj:`None`)
        checkpoint_every (int, optional): After how many epochs to save.
            (default: :obj:`25`)
        progress (bool, optional): Whether to show a progress bar.
            (default: :obj:`True`)
    """
    settings = {
        'epochs': epochs,
        'lr': lr,
        'logit_lr': logit_lr,
        'weight_decay': weight_decay,
        'num_samples': num_samples,
        'patience': patience,
    }
    for name, value in settings.items():
        if not value >= (0 if name == 'weight_decay' else 1e-30):
            raise ValueError(f"'{name}' must be positive, got {value}")
    check_features(data.x, data.num_nodes, 'data.x')
    check_labels(data.y, data.train_mask, data.num_nodes, 'data.train_mask')
    check_labels(data.y, data.val_mask, data.num_nodes, 'data.val_mask')
    train = data.train_mask.nonzero().view(-1)

    groups = _groups(learner, lr, logit_lr, weight_decay)
    optimizer = torch.optim.Adam(groups, fused=True)
    run = _Run(learner, optimizer, settings, data.x.device)
    if checkpoint is not None and Path(checkpoint).exists():
        run.load(Path(checkpoint))
    result = run.result

    start = len(result.history)
    with tqdm(
        total=epochs, initial=start, disable=not progress, leave=False
    ) as bar:
        for epoch in range(start, epochs):
            if epoch - result.best_epoch > patience:
                break
            learner.train()
            optimizer.zero_grad()
            out = learner(data.x, num_samples=num_samples)
            bound = learner.objective(out, data.y, train)
            if not torch.isfinite(bound.loss):
                raise FloatingPointError(
                    f'the loss became {bound.loss.item()} in epoch {epoch}: '
                    "lower 'lr' or 'logit_lr'"
                )
            bound.loss.backward()
            optimizer.step()

            prob = learner.predict(data.x, num_samples=num_samples)
            acc, nll = evaluate(prob, data.y, data.val_mask)
            row = {
                name: value.item() for name, value in bound._asdict().items()
            }
            result.history.append({**row, 'val_acc': acc, 'val_nll': nll})
            if (acc, -nll) > (result.val_acc, -result.val_nll):
                result.best_epoch, result.val_acc = epoch, acc
                result.val_nll = nll
                run.keep_best()
            if checkpoint is not None and (epoch + 1) % checkpoint_every == 0:
                run.save(Path(checkpoint))
            bar.set_postfix(loss=f'{row["loss"]:.3f}', val=f'{acc:.3f}')
            bar.update()

    if checkpoint is not None:
        run.save(Path(checkpoint))
    run.restore_best()
    return result


def evaluate(prob: Tensor, y: Tensor, mask: Tensor) -> tuple[float, float]:
    r"""The accuracy and mean negative log-likelihood of class probabilities
    on the nodes that :obj:`mask` selects.
    """
    prob, y = prob[mask], y[mask]
    hit = prob.argmax(dim=-1) == y
    likelihood = prob.gather(-1, y.unsqueeze(-1)).clamp(min=1e-12)
    return float(hit.float().mean()), -float(likelihood.log().mean())


def _groups(
    learner: Module, lr: float, logit_lr: float, weight_decay: float
) -> list[dict[str, Any]]:
    posterior = getattr(learner, 'posterior', None)
    logits = [] if posterior is None else list(posterior.parameters())
    ids = {id(parameter) for parameter in logits}
    weights = [p for p in learner.parameters() if id(p) not in ids]
    return [
        {'params': weights, 'lr': lr, 'weight_decay': weight_decay},
        {'params': logits, 'lr': logit_lr},
    ]


class _Run:
    r"""The whole state of a training run, to be saved and gone on from."""

    def __init__(
        self,
        learner: Module,
        optimizer: torch.optim.Optimizer,
        settings: dict[str, float],
        device: torch.device,
    ) -> None:
        self.learner = learner
        self.optimizer = optimizer
        self.settings = settings
        self.device = device
        self.result = Fit()
        self.best: dict[str, Any] = {}

    def keep_best(self) -> None:
        self.best = {
            name: value.clone() if isinstance(value, Tensor) else value
            for name, value in self.learner.state_dict().items()
        }

    def restore_best(self) -> None:
        self.learner.load_state_dict(self.best)

    def save(self, path: Path) -> None:
        state = {
            'settings': self.settings,
            'learner': self.learner.state_dict(),
            'optimizer': self.optimizer.state_dict(),
            'best': self.best,
            'result': asdict(self.result),
            'rng': torch.get_rng_state(),
        }
        if self.device.type == 'cuda':
            state['device_rng'] = torch.cuda.get_rng_state(self.device)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A run that is killed while it writes leaves the last file whole:
        part = path.with_name(path.name + '.part')
        torch.save(state, part)
        part.replace(path)

    def load(self, path: Path) -> None:
        state = torch.load(path, weights_only=True, map_location=self.device)
        if state['settings'] != self.settings:
            raise ValueError(
                f"'checkpoint' {path} was made with {state['settings']}, "
                f'got {self.settings}: give the same settings or remove it'
            )
        self.learner.load_state_dict(state['learner'])
        self.optimizer.load_state_dict(state['optimizer'])
        self.best = state['best']
        self.result = Fit(**state['result'])
        torch.set_rng_state(state['rng'].cpu())
        if self.device.type == 'cuda':
            torch.cuda.set_rng_state(state['device_rng'].cpu(), self.device)
