r"""The all-pairs step compared with the straightforward one: time, peak
memory, and the difference of their gradients.
"""

import json
import sys

import torch
from torch_geometric import seed_everything

from benchmarks.speed import models
from benchmarks.speed.measure import alone, megabytes, seconds


def gradients_differ_by(data) -> float:
    r"""The largest difference between gradients, relative to the largest
    gradient of the parameter, with the same noise and no dropout.
    """
    ours = models.learner(data, dense=True).eval()
    theirs = models.straightforward(data).eval()
    pairs = [(ours.posterior.offset, theirs.logits)]
    both = zip(ours.conv.convs, (theirs.conv1, theirs.conv2), strict=True)
    for mine, other in both:
        pairs += [(mine.lin.weight, other.lin.weight), (mine.bias, other.bias)]
    for mine, other in pairs[1:]:
        other.data.copy_(mine.data)
    y = data.y.clone()
    y[~data.train_mask] = -1
    # Both derive their samples from the same uniform numbers:
    seed_everything(1)
    out = ours(data.x, num_samples=models.SAMPLES)
    ours.objective(out, data.y, data.train).loss.backward()
    seed_everything(1)
    theirs.loss(data.x, y, models.SAMPLES, models.BETA).backward()
    return max(
        float((mine.grad - other.grad).abs().max() / other.grad.abs().max())
        for mine, other in pairs
    )


def steps(data) -> dict:
    return {
        'ours': lambda: models.our_step(
            models.learner(data, dense=True), data, data.x
        ),
        'straightforward': lambda: models.straightforward_step(
            models.straightforward(data), data
        ),
    }


def run() -> dict:
    data = models.load()
    made = {name: make() for name, make in steps(data).items()}
    return {
        'seconds': seconds(made, repeat=3, warm_up=1),
        'peak MB': {
            name: alone('benchmarks.speed.dense', name) for name in made
        },
        'gradients differ by': gradients_differ_by(data),
    }


def two_steps(name: str) -> float:
    r"""The peak memory of building a model and two steps, without the data."""
    data = models.load()

    def whole() -> None:
        step = steps(data)[name]()
        step()
        step()

    return megabytes(whole)


def rows(part: dict) -> list[tuple[str, ...]]:
    r"""The rows of the page."""
    second, peak = part['seconds'], part['peak MB']
    a, b = second['ours'], second['straightforward']
    difference = part['gradients differ by']
    step = (
        'all-pairs step, Citeseer',
        'straightforward PyTorch (torch.distributions, DenseGCNConv)',
        f'{b / a:.1f} × faster',
        f'{a:.2f} s, {b:.2f} s; gradients differ by {difference:.0e} at most',
    )
    a, b = peak['ours'], peak['straightforward']
    memory = f'1/{b / a:.1f}', f'{a:.0f} MB, {b:.0f} MB'
    return [step, ('its peak memory', 'the same', *memory)]


if __name__ == '__main__':
    torch.set_num_threads(1)
    print(json.dumps(two_steps(sys.argv[1])))
