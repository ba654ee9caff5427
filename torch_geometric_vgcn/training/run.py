from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn import Module, ModuleList
from torch.nn.parameter import is_lazy

from torch_geometric_vgcn.objective import SemiSupervisedELBO, Term
from torch_geometric_vgcn.training.batches import WholeGraph
from torch_geometric_vgcn.training.checkpoint import Checkpoint
from torch_geometric_vgcn.training.fingerprint import (
    constant_buffers,
    module_fingerprint,
)
from torch_geometric_vgcn.training.optimizers import optimizers
from torch_geometric_vgcn.training.owned_logits import OwnedLogits
from torch_geometric_vgcn.training.result import Fit
from torch_geometric_vgcn.utils.ranks import Ranks, distributed


class Run:
    r"""A training run: what its epochs change, and how.

    Args:
        model (torch.nn.Module): The learner, which may be compiled. If it is
            in evaluation mode it is set to training mode; otherwise each of
            its modules stays in its own mode.
        batches (WholeGraph): The data.
        terms (Sequence[Term]): Further terms of the loss.
        rates (Dict[str, Any]): The settings of the optimisers.
        num_samples (int): The number of graphs per step.
        ranks (Ranks): The processes that take part.
    """

    def __init__(
        self,
        model: Module,
        batches: WholeGraph,
        terms: Sequence[Term],
        rates: dict[str, Any],
        num_samples: int,
        ranks: Ranks,
    ) -> None:
        self.learner = learner = batches.learner
        self.batches, self.ranks = batches, ranks
        self.num_samples = num_samples
        if not learner.training:
            learner.train()
        if any(map(is_lazy, [*learner.parameters(), *learner.buffers()])):
            batches.predict(num_samples)  # which initialises them
        self.logits = OwnedLogits(learner, ranks)
        self.optimizers = optimizers(
            learner,
            # A step takes a batch of each process:
            batches.num_labels * ranks.world / batches.num_batches,
            sparse=list(self.logits.parameters.values()),
            **rates,
        )
        self.constant = constant_buffers(learner)
        learner.likelihood.set_temperature(1.0)
        self.terms = ModuleList(terms).to(batches.device).train()
        for term in terms:
            term.reset_parameters()
        self.result = Fit(score=learner.likelihood.score)
        self.best: dict[str, Any] = {}
        self.model = model
        if ranks.world > 1:
            left_out = [*self.logits.parameters, *self.constant]
            left_out += [f'criterion.{name}' for name in self._counts()]
            self.model = distributed(learner, left_out)

    def one_epoch(self) -> None:
        r"""Trains for an epoch, validates, and keeps the best state."""
        row = self._train()
        self.logits.gather()
        score, nll = self.batches.validate(self.num_samples, self.ranks)
        row |= {f'val_{self.result.score}': score, 'val_nll': nll}
        if self.result.add(row, self.warmup_done):
            self.best = {
                name: value.clone()
                if isinstance(value, Tensor) and name not in self.constant
                else value
                for name, value in self.learner.state_dict().items()
            }

    def _train(self) -> dict[str, float]:
        r"""Takes the steps of one epoch. Returns the loss and its parts."""
        batches, before = self.batches, self._counts()
        total = torch.zeros(5, dtype=batches.precision)
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        for batch in batches:
            with batch.random:
                out = self.model(
                    batch.x, num_samples=self.num_samples, **batch.call
                )
                batches.check_outputs(out)
                bound = self.learner.objective(
                    out, batch.y, batch.train, **batch.objective
                )
                terms = (
                    term(out, batch.y, batch.train) for term in self.terms
                )
                further = sum(terms, start=out.new_zeros(()))
                loss = further + batches.loss(bound)
                if not torch.isfinite(loss):
                    raise FloatingPointError(
                        f'the loss became {loss.item()} in epoch '
                        f"{len(self.result.history)}: lower 'lr' or "
                        "'logit_lr'"
                    )
                loss.backward()
            self.logits.touch(batch.position)
            if batch.last:
                for optimizer in self.optimizers:
                    optimizer.step()
                    optimizer.zero_grad()
            parts = [*bound[:3], bound.agreement, further]
            total = total + torch.stack(parts).detach().cpu()
        self._add_up_counts(before)
        total = self.ranks.sum(total)
        total[4] /= batches.num_batches
        names = ('bound', 'log_likelihood', 'kl', 'agreement', 'terms')
        row = dict(zip(names, total.tolist(), strict=True))
        row['loss'] = float(-total[0] / batches.num_labels + total[4])
        return row

    @property
    def warmup_done(self) -> bool:
        r"""Whether all parts of the loss have their full weight."""
        return self.learner.criterion.warmup_done and all(
            term.settled for term in cast(Iterable[Term], self.terms)
        )

    def is_over(self, patience: int) -> bool:
        r"""Whether validation has stopped improving."""
        late = len(self.result.history) - self.result.best_epoch > patience
        return late and self.warmup_done

    def finish(self) -> Fit:
        r"""Leaves the learner in its best state, and in evaluation mode."""
        self.learner.load_state_dict(self.best)
        self.learner.eval()
        self.terms.eval()
        return self.result

    def _counts(self) -> dict[str, Tensor]:
        r"""What the objective has counted in training steps."""
        return dict(self.learner.criterion.named_buffers())

    def _add_up_counts(self, before: dict[str, Tensor]) -> None:
        r"""Adds up what all processes have counted in an epoch."""
        objective = self.learner.criterion
        if self.ranks.world > 1 and isinstance(objective, SemiSupervisedELBO):
            for name in ('nodes', 'labels'):
                new, old = getattr(objective, name), before[name]
                old = old if old.shape == new.shape else new.new_zeros(())
                setattr(objective, name, old + self.ranks.sum(new - old))
            mean = self.ranks.sum(objective.found) / self.ranks.world
            objective.found = mean

    def fingerprint(self) -> dict[str, str]:
        r"""What determines the result beside the settings, by readable
        names.
        """
        return {
            **self.batches.fingerprint(),
            **module_fingerprint(self.learner),
            **module_fingerprint(self.terms, 'terms'),
        }

    def save(self, checkpoint: Checkpoint) -> None:
        r"""Saves all that the epochs to come depend on, and the result so
        far. All processes must take part.
        """
        ranks = self.ranks
        self.logits.gather_moments(self.optimizers)
        state = {
            'learner': self.learner.state_dict(),
            'terms': self.terms.state_dict(),
            'optimizers': [o.state_dict() for o in self.optimizers],
            'batches': self.batches.state_dict(),
            'best': self.best,
            'result': asdict(self.result),
            'rng': ranks.all_of(torch.get_rng_state()),
            'device_rng': [
                state
                for module, where in self._device_rng()
                for state in ranks.all_of(module.get_rng_state(*where))
            ],
        }
        checkpoint.save(state, ranks)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        r"""Resumes from what was saved."""
        rank = self.ranks.rank
        self.learner.load_state_dict(state['learner'])
        self.terms.load_state_dict(state['terms'])
        for optimizer, saved in zip(
            self.optimizers, state['optimizers'], strict=True
        ):
            optimizer.load_state_dict(saved)
        self.batches.load_state_dict(state['batches'])
        self.best = state['best']
        self.result = Fit(**state['result'])
        torch.set_rng_state(state['rng'][rank].cpu())
        for module, where in self._device_rng():
            module.set_rng_state(state['device_rng'][rank].cpu(), *where)

    def _device_rng(self) -> list[tuple[Any, tuple[torch.device, ...]]]:
        r"""The module of the device's own random number generator, if there
        is one, and what its functions take.
        """
        device = self.batches.device
        if device.type == 'cpu':
            return []
        where = () if device.type == 'mps' else (device,)
        return [(torch.get_device_module(device), where)]
