from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.parallel import DistributedDataParallel
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from torch_geometric_vgcn.objective import Bound
from torch_geometric_vgcn.partition.batch import Batch
from torch_geometric_vgcn.partition.exchange import Exchange, Gradient
from torch_geometric_vgcn.partition.learner import PartitionedLearner
from torch_geometric_vgcn.partition.rounds import Rounds, Slot
from torch_geometric_vgcn.partition.seeded import drawn_seed, seeded
from torch_geometric_vgcn.training.batches import device_of
from torch_geometric_vgcn.training.checkpoint import check_epochs
from torch_geometric_vgcn.training.fingerprint import (
    as_text,
    constant_buffers,
    module_fingerprint,
)
from torch_geometric_vgcn.training.optimizers import (
    MakeOptimizer,
    optimizers,
)
from torch_geometric_vgcn.training.result import Fit
from torch_geometric_vgcn.training.sharded_checkpoint import (
    ShardedCheckpoint,
)
from torch_geometric_vgcn.utils import check_num_outputs, progress_bar
from torch_geometric_vgcn.utils.ranks import distributed

TRAIN, VALIDATE = 0, 1  # what random numbers are for


@dataclass(frozen=True)
class Settings:
    r"""The settings of a run, as in :func:`fit_partitioned`."""

    epochs: int
    lr: float
    logit_lr: float
    logit_optimizer: MakeOptimizer
    weight_decay: float
    num_samples: int
    patience: int
    checkpoint: str | Path | None
    checkpoint_every: int
    progress: bool


class PartitionedRun:
    r"""Takes one step per batch of each shard. What is random follows from a
    seed, the epoch and the batch, so that the result doesn't depend on which
    process computes it.

    Args:
        learner (PartitionedLearner): The learner to train.
        batch_size (int): The number of clusters per batch.
        settings (Settings): The settings.
    """

    def __init__(
        self, learner: PartitionedLearner, batch_size: int, settings: Settings
    ) -> None:
        self.graph = learner.graph
        ranks = learner.ranks
        high, _ = ranks.from_first(lambda: (drawn_seed(), 0.0))
        self.rounds = Rounds(self.graph, batch_size, int(high))
        self.learner, self.settings, self.ranks = learner, settings, ranks
        self.device = device_of(learner)
        if not learner.training:
            learner.train()
        tensors = [*learner.parameters(), *learner.buffers()]
        if any(is_lazy(tensor) for tensor in tensors):
            self.initialize()
        self.optimizers = optimizers(
            learner,
            1.0,
            settings.lr,
            settings.logit_lr,
            settings.weight_decay,
            settings.logit_optimizer,
            list(learner.posterior.offset.values()),
        )
        self.constant = constant_buffers(learner)
        learner.likelihood.set_temperature(1.0)
        self.result = Fit(score=learner.likelihood.score)
        self.best: dict[str, Any] = {}
        self.num_labeled = sum(self.graph.manifest.train)
        self.exchange = Exchange(learner)
        self.own = [
            name
            for name, _ in learner.named_parameters()
            if name.startswith('posterior.offset.')
        ]
        self.model: Module = learner
        if ranks.world > 1:
            self.model = distributed(learner, [*self.own, *self.constant])

    def train(self) -> Fit:
        r"""Trains until validation stops improving, and leaves the learner in
        its best state, and in evaluation mode.
        """
        checkpoint = self.resume()
        settings, history = self.settings, self.result.history
        start = len(history)
        with progress_bar(
            total=settings.epochs,
            initial=start,
            disable=not settings.progress or self.ranks.rank > 0,
            leave=False,
        ) as bar:
            while len(history) < settings.epochs and (
                len(history) - self.result.best_epoch <= settings.patience
            ):
                self.one_epoch(len(history))
                if (
                    checkpoint
                    and len(history) % settings.checkpoint_every == 0
                ):
                    self.save(checkpoint)
                loss, val = history[-1]['loss'], history[-1]['val_acc']
                bar.set_postfix(
                    loss=f'{loss:.3f}', val=f'{val:.3f}', refresh=False
                )
                bar.update()
        if checkpoint and len(history) > start:
            self.save(checkpoint)
        self.learner.load_state_dict(self.best)
        self.learner.eval()
        return self.result

    def one_epoch(self, epoch: int) -> None:
        r"""Trains for an epoch and validates."""
        bound = self.train_epoch(epoch)
        score, nll = self.validate(epoch)
        row = {name: value.item() for name, value in bound._asdict().items()}
        row |= {'terms': 0.0, 'val_acc': score, 'val_nll': nll}
        if self.result.add(row, warmup_done=True):
            self.keep_best()

    def keep_best(self) -> None:
        self.best = {
            name: value.clone()
            if isinstance(value, Tensor) and name not in self.constant
            else value
            for name, value in self.learner.state_dict().items()
        }

    def initialize(self) -> None:
        (first, *_) = self.rounds.in_order(self.learner.shards[0])
        batch = self.learner.batch(first.clusters)
        self.learner.predict(batch.x, 1, batch.prior)

    def fingerprint(self) -> dict[str, str]:
        settings = self.settings
        found = module_fingerprint(self.learner)
        for name in (
            'lr', 'logit_lr', 'logit_optimizer', 'weight_decay', 'num_samples',
            'patience',
        ):  # fmt: skip
            found[name] = str(as_text(getattr(settings, name)))
        return {
            # Of the posterior, each process has its own part:
            **{k: v for k, v in found.items() if 'posterior' not in k},
            'graph': self.graph.manifest.digest(),
            'batch_size': repr(self.rounds.batch_size),
        }

    def train_epoch(self, epoch: int) -> Bound:
        r"""Takes the steps of one epoch. Returns the bound of all data."""
        total = torch.zeros(3, dtype=torch.double)
        for number, slots in enumerate(self.rounds.steps(epoch)):
            total += self.one_step(epoch, number, slots)
        total = self.ranks.sum(total)
        loss = -total[0] / self.num_labeled
        none = torch.zeros_like(loss)
        return Bound(total[0], total[1], total[2], loss, none)

    def one_step(self, epoch: int, number: int, slots: list[Slot]) -> Tensor:
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        total = torch.zeros(3, dtype=torch.double)
        guests = self.exchange.fetch(slots)
        grads: list[Gradient] = []
        away: dict[int, Tensor] = {}
        own, graph, learner = self.learner.shards, self.graph, self.learner
        for shard in own:
            clusters = slots[shard].clusters
            pieces = [
                guests[c] if c in guests else learner.piece(c, clusters)
                for c in clusters
            ]
            batch = Batch(graph, pieces, self.device, self.rounds.between)
            with (
                seeded(self.rounds.seed, TRAIN, epoch, number, shard),
                self.no_sync() if shard != own[-1] else nullcontext(),
            ):
                total += self.backward(batch, epoch)
            for piece, grad in zip(pieces, batch.grads(), strict=True):
                c, grad = piece.cluster, grad / self.ranks.world
                if guests.pop(c, None) is not None:
                    away[c] = grad
                else:
                    places = learner.places(piece)
                    grads.append(Gradient(graph.shard_of(c), places, grad))
        self.set_grads(grads + self.exchange.give_back(away))
        for optimizer in self.optimizers:
            optimizer.step()
        return total

    def backward(self, batch: Batch, epoch: int) -> Tensor:
        r"""Adds the gradients of one batch. Returns the parts of its
        bound.
        """
        out = self.model(
            batch.x, num_samples=self.settings.num_samples, prior=batch.prior
        )
        highest = self.graph.manifest.highest_class
        check_num_outputs(out.size(-1), highest)
        nodes = batch.nodes
        bound = self.learner.objective(
            out, batch.y, nodes, nodes.numel(), batch.weight
        )
        scale = self.rounds.num_batches / self.num_labeled
        loss = -bound.bound * (scale / self.graph.num_shards)
        if not torch.isfinite(loss):
            raise FloatingPointError(
                f'the loss became {loss.item()} in epoch {epoch}: '
                "lower 'lr' or 'logit_lr'"
            )
        # The sum of all processes' gradients is wanted, not their mean:
        (loss * self.ranks.world).backward()
        return torch.stack(bound[:3]).detach().cpu().double()

    def no_sync(self) -> AbstractContextManager[None]:
        r"""Lets gradients add up in this process."""
        if isinstance(self.model, DistributedDataParallel):
            return self.model.no_sync()
        return nullcontext()

    def set_grads(self, grads: list[Gradient]) -> None:
        r"""Sets the sparse gradients of this process's logits."""
        for shard in self.learner.shards:
            some = [grad for grad in grads if grad.shard == shard]
            place = torch.cat([grad.place for grad in some])
            value = torch.cat([grad.value for grad in some])
            if len(some) > 1:  # perhaps with guests in between
                place, order = place.sort()
                value = value[order]
            offset = self.learner.posterior.of_shard(shard)
            offset.grad = torch.sparse_coo_tensor(
                place.unsqueeze(0).to(offset.device),
                value.to(offset.device),
                offset.shape,
                is_coalesced=True,
                check_invariants=False,
            )

    def validate(self, epoch: int) -> tuple[float, float]:
        counts = torch.zeros(2, dtype=torch.double)
        for shard in self.learner.shards:
            for number, slot in enumerate(self.rounds.in_order(shard)):
                with seeded(self.rounds.seed, VALIDATE, epoch, number, shard):
                    counts += self.hits(slot)
        hits, nll = self.ranks.sum(counts) / sum(self.graph.manifest.val)
        return float(hits), float(nll)

    def hits(self, slot: Slot) -> Tensor:
        r"""How many validation nodes of a batch are predicted right, and
        their negative log-likelihood.
        """
        batch = self.learner.batch(slot.clusters, 'val')
        if batch.nodes.numel() == 0:
            return torch.zeros(2, dtype=torch.double)
        prob = self.learner.predict(
            batch.x, self.settings.num_samples, batch.prior
        )[batch.nodes]
        y = batch.y[batch.nodes]
        right = (prob.argmax(dim=-1) == y).double().sum()
        likelihood = prob.gather(-1, y.unsqueeze(-1)).clamp(min=1e-12)
        return torch.stack([right, -likelihood.double().log().sum()]).cpu()

    def resume(self) -> ShardedCheckpoint | None:
        if self.settings.checkpoint is None:
            return None
        checkpoint = ShardedCheckpoint(
            self.settings.checkpoint, self.fingerprint(), self.ranks
        )
        latest = checkpoint.latest()
        if latest is None:
            return checkpoint
        trained = len(latest['result']['history'])
        check_epochs(checkpoint.path, trained, self.settings.epochs)
        own = tuple(f'shard.{shard}.' for shard in self.learner.shards)
        state = checkpoint.load(latest, ('network.', *own))
        self.result = Fit(**latest['result'])
        self.rounds.seed = latest['seed']
        self.load_tensors(state)
        return checkpoint

    def save(self, checkpoint: ShardedCheckpoint) -> None:
        about = {'result': asdict(self.result), 'seed': self.rounds.seed}
        epoch = len(self.result.history)
        checkpoint.save(epoch, self.tensors(), about)

    def tensors(self) -> dict[str, Tensor]:
        r"""The state of this process: the network's, and that of its own
        shards, under names that don't depend on the number of processes.
        """
        out = {}
        for kind, state in (
            ('now', self.learner.state_dict()),
            ('best', self.best),
        ):
            for name, value in state.items():
                if isinstance(value, Tensor) and name not in self.constant:
                    out[f'{self.key(name)}.{kind}'] = value.detach()
        for optimizer, parameter, prefix in self.moments():
            for moment, value in optimizer.state[parameter].items():
                out[prefix + moment] = torch.as_tensor(value)
        return out

    def moments(self) -> Iterator[tuple[Optimizer, Tensor, str]]:
        r"""Each trained parameter, with its optimiser and what its moments
        are called in the checkpoint.
        """
        names = {id(p): name for name, p in self.learner.named_parameters()}
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                for parameter in group['params']:
                    key = self.key(names[id(parameter)])
                    yield optimizer, parameter, f'{key}.moment.'

    def key(self, name: str) -> str:
        r"""What a parameter is called in the checkpoint."""
        if name in self.own:
            return f'shard.{name.rpartition(".")[2]}'
        return f'network.{name}'

    @torch.no_grad()
    def load_tensors(self, saved: dict[str, Tensor]) -> None:
        state = self.learner.state_dict()
        self.best = dict(state)
        for name, value in state.items():
            if isinstance(value, Tensor) and name not in self.constant:
                value.copy_(saved[f'{self.key(name)}.now'])
                self.best[name] = saved[f'{self.key(name)}.best']
        for optimizer, parameter, prefix in self.moments():
            optimizer.state[parameter] = {
                key.removeprefix(prefix): _as_saved(value)
                for key, value in saved.items()
                if key.startswith(prefix)
            }


def _as_saved(value: Tensor) -> Tensor | int:
    r"""Some optimisers count their steps in plain numbers."""
    if value.dim() == 0 and not value.is_floating_point():
        return int(value)
    return value
