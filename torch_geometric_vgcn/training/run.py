from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn import Module, ModuleList
from torch.nn.parameter import is_lazy

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import (
    Bound,
    Consistency,
    SemiSupervisedELBO,
    Term,
)
from torch_geometric_vgcn.training.checkpoint import Checkpoint
from torch_geometric_vgcn.training.device_rng import (
    get_device_rng,
    set_device_rng,
)
from torch_geometric_vgcn.training.fingerprint import (
    constant_buffers,
    module_fingerprint,
)
from torch_geometric_vgcn.training.optimizers import optimizers
from torch_geometric_vgcn.training.owned_logits import OwnedLogits
from torch_geometric_vgcn.training.ranks import Ranks
from torch_geometric_vgcn.training.result import Fit
from torch_geometric_vgcn.training.settings import Settings
from torch_geometric_vgcn.utils import progress_bar


class Run(ABC):
    r"""A training run: epochs until validation stops improving, the best
    state, and a checkpoint of it all.

    Args:
        learner (VariationalGraphLearner or FixedGraph): The learner. If it is
            in evaluation mode it is set to training mode; otherwise each of
            its modules stays in its own mode.
        settings (Settings): The settings.
        ranks (Ranks, optional): The processes that take part.
            (default: :obj:`None`, this one)
    """

    def __init__(
        self,
        learner: VariationalGraphLearner | FixedGraph,
        settings: Settings,
        ranks: Ranks | None = None,
    ) -> None:
        self.learner = learner
        self.settings = settings
        self.ranks = ranks or Ranks()
        self.device = device_of(learner)
        self.check_terms()
        if not learner.training:
            learner.train()
        tensors = [*learner.parameters(), *learner.buffers()]
        if any(is_lazy(tensor) for tensor in tensors):
            self.initialize()
        self.logits = OwnedLogits(learner, self.ranks)
        self.optimizers = optimizers(
            learner,
            self.num_labels,
            settings.lr,
            settings.logit_lr,
            settings.weight_decay,
            settings.logit_optimizer,
            self.sparse_logits(),
        )
        self.constant = constant_buffers(learner)
        learner.likelihood.set_temperature(1.0)
        self.terms = ModuleList(settings.terms).to(self.device).train()
        for term in cast(Iterable[Term], self.terms):
            term.reset_parameters()
        self.result = Fit(score=learner.likelihood.score)
        self.best: dict[str, Any] = {}

    @abstractmethod
    def train_epoch(self, epoch: int) -> tuple[Bound, Tensor]:
        r"""Takes the steps of one epoch. Returns the bound of all data, and
        the sum of all further terms of the loss, the mean over batches.
        """

    @abstractmethod
    def validate(self, epoch: int) -> tuple[float, float]:
        r"""The score and the negative log-likelihood of the validation
        nodes, the same in all processes.
        """

    @abstractmethod
    def initialize(self) -> None:
        r"""Calls the learner once, which initialises lazy parameters."""

    @property
    def num_labels(self) -> float:
        r"""How many labels the loss of a step is the mean of."""
        return 1.0

    def sparse_logits(self) -> list[Tensor]:
        r"""The parameters with sparse gradients."""
        return list(self.logits.parameters.values())

    def fingerprint(self) -> dict[str, str]:
        r"""Everything that determines the result, by readable names."""
        return {
            'run': type(self).__name__,
            **self.settings.fingerprint(),
            **module_fingerprint(self.learner),
            **module_fingerprint(self.terms, 'terms'),
        }

    def train(self) -> Fit:
        r"""Trains until validation stops improving, and leaves the learner in
        its best state, and in evaluation mode.
        """
        checkpoint = self.resume()
        settings, result = self.settings, self.result
        start = epoch = len(result.history)
        with progress_bar(
            total=settings.epochs,
            initial=start,
            disable=not settings.progress or self.ranks.rank > 0,
            leave=False,
        ) as bar:
            while epoch < settings.epochs and not self.is_over(epoch):
                row = self.one_epoch(epoch)
                epoch += 1
                if checkpoint and epoch % settings.checkpoint_every == 0:
                    self.save(checkpoint)
                val = row[f'val_{result.score}']
                loss = f'{row["loss"]:.3f}'
                bar.set_postfix(loss=loss, val=f'{val:.3f}', refresh=False)
                bar.update()
        if checkpoint and epoch > start:
            self.save(checkpoint)
        self.learner.load_state_dict(self.best)
        self.learner.eval()
        self.terms.eval()
        return result

    def one_epoch(self, epoch: int) -> dict[str, float]:
        r"""Trains for an epoch and validates. Returns what is recorded."""
        bound, terms = self.train_epoch(epoch)
        score, nll = self.validate(epoch)
        parts = {**bound._asdict(), 'terms': terms, 'loss': bound.loss + terms}
        row = {k: v.item() for k, v in parts.items()}
        result = self.result
        row |= {f'val_{result.score}': score, 'val_nll': nll}
        result.history.append(row)
        settled = self.is_settled()
        better = (score, -nll) > (result.val_score, -result.val_nll)
        if better or (settled and not result.settled):
            result.best_epoch, result.settled = epoch, settled
            result.val_score, result.val_nll = score, nll
            self.keep_best()
        return row

    def is_settled(self) -> bool:
        r"""Whether all terms of the loss have their full weight: the best
        epoch before that is only kept until then.
        """
        terms = cast(Iterable[Term], self.terms)
        return self.learner.criterion.settled and all(
            term.settled for term in terms
        )

    def is_over(self, epoch: int) -> bool:
        r"""Whether validation has stopped improving."""
        late = epoch - self.result.best_epoch > self.settings.patience
        return late and self.is_settled()

    def keep_best(self) -> None:
        self.best = {
            name: value.clone()
            if isinstance(value, Tensor) and name not in self.constant
            else value
            for name, value in self.learner.state_dict().items()
        }

    def zero_grad(self) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad()

    def step(self) -> None:
        for optimizer in self.optimizers:
            optimizer.step()

    def extra_loss(self, out: Tensor, y: Tensor, nodes: Tensor) -> Tensor:
        r"""The sum of all further terms; :obj:`nodes` are labelled."""
        terms = (term(out, y, nodes) for term in self.terms)
        return sum(terms, start=out.new_zeros(()))

    def check_terms(self) -> None:
        r"""Raises an error if further terms need classes and there are
        none, or if the objective has them already.
        """
        likelihood = self.learner.likelihood
        objective = self.learner.criterion
        if isinstance(objective, SemiSupervisedELBO) and any(
            isinstance(term, Consistency) for term in self.settings.terms
        ):
            raise ValueError(
                "'terms' has a Consistency, which is a part of the learner's "
                'objective, SemiSupervisedELBO, already: leave it out, or '
                'give the learner another objective, such as '
                'IWELBO(LogisticKL())'
            )
        if self.settings.terms and not likelihood.has_classes:
            names = [type(term).__name__ for term in self.settings.terms]
            raise ValueError(
                f"'terms' ({', '.join(names)}) need labels that are classes "
                '(Categorical), got the likelihood '
                f'{type(likelihood).__name__}'
            )

    def check_finite(self, loss: Tensor, epoch: int) -> None:
        if not torch.isfinite(loss):
            raise FloatingPointError(
                f'the loss became {loss.item()} in epoch {epoch}: '
                "lower 'lr' or 'logit_lr'"
            )

    def resume(self) -> Checkpoint | None:
        r"""Opens the checkpoint, if there is to be one, and resumes the run
        where it was saved.
        """
        settings, rank = self.settings, self.ranks.rank
        if settings.checkpoint is None:
            return None
        checkpoint = Checkpoint(settings.checkpoint, self.fingerprint())
        if rank == 0:
            checkpoint.check_writable()
        state = checkpoint.load(self.device)
        if state is None:
            return checkpoint
        self.check_epochs(len(state['result']['history']), checkpoint.path)
        self.learner.load_state_dict(state['learner'])
        for optimizer, saved in zip(
            self.optimizers, state['optimizers'], strict=True
        ):
            optimizer.load_state_dict(saved)
        terms = {name: value[rank] for name, value in state['terms'].items()}
        self.terms.load_state_dict(terms)
        self.best = state['best']
        self.result = Fit(**state['result'])
        torch.set_rng_state(state['rng'][rank].cpu())
        if state['device_rng']:
            set_device_rng(self.device, state['device_rng'][rank].cpu())
        return checkpoint

    def check_epochs(self, trained: int, path: Path) -> None:
        r"""Raises an error if a checkpoint has more epochs than wanted."""
        if trained > self.settings.epochs:
            raise ValueError(
                f"'epochs' must be at least {trained}, which 'checkpoint' "
                f'{path} has already, got {self.settings.epochs}: '
                'raise it, or remove the file to start again'
            )

    def save(self, checkpoint: Checkpoint) -> None:
        self.logits.gather_moments(self.optimizers)
        state = {
            'learner': self.learner.state_dict(),
            'terms': {
                name: self.ranks.all_of(value)
                for name, value in self.terms.state_dict().items()
            },
            'optimizers': [o.state_dict() for o in self.optimizers],
            'best': self.best,
            'result': asdict(self.result),
            'rng': self.ranks.all_of(torch.get_rng_state()),
            'device_rng': [],
        }
        device_rng = get_device_rng(self.device)
        if device_rng is not None:
            state['device_rng'] = self.ranks.all_of(device_rng)
        if self.ranks.rank == 0:
            checkpoint.save(state)


def device_of(learner: Module) -> torch.device:
    r"""The device of a learner, which must be one for all its parts."""
    places = {
        tensor.device: name
        for name, tensor in [
            *learner.named_buffers(),
            *learner.named_parameters(),
        ]
    }
    if len(places) > 1:
        where = ', '.join(f"'{name}' on {d}" for d, name in places.items())
        raise ValueError(
            f"'learner' must be on one device, got {where}: move it with "
            'learner.to(device)'
        )
    return next(iter(places), torch.device('cpu'))
