r"""The all-pairs step compared with the straightforward one: time, peak
memory, and the difference of their gradients.
"""

import json
import sys

import citeseer
import torch
from measure import alone, megabytes, seconds
from torch_geometric import seed_everything


def gradients_differ_by(data) -> float:
    r"""The largest difference between gradients, relative to the largest
    gradient of the parameter, with the same noise and no dropout.
    """
    ours = citeseer.learner(data, dense=True).eval()
    theirs = citeseer.straightforward(data).eval()
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
    out = ours(data.x, num_samples=citeseer.SAMPLES)
    ours.objective(out, data.y, data.train).loss.backward()
    seed_everything(1)
    theirs.loss(data.x, y, citeseer.SAMPLES, citeseer.BETA).backward()
    return max(
        float((mine.grad - other.grad).abs().max() / other.grad.abs().max())
        for mine, other in pairs
    )


def steps(data) -> dict:
    return {
        'ours': lambda: citeseer.our_step(
            citeseer.learner(data, dense=True), data, data.x
        ),
        'straightforward': lambda: citeseer.straightforward_step(
            citeseer.straightforward(data), data
        ),
    }


def run() -> dict:
    data = citeseer.load()
    made = {name: make() for name, make in steps(data).items()}
    return {
        'seconds': seconds(made, repeat=3, warm_up=1),
        'peak MB': {name: alone(__file__, name) for name in made},
        'gradients differ by': gradients_differ_by(data),
    }


def two_steps(name: str) -> float:
    r"""The peak memory of building a model and two steps, without the data."""
    data = citeseer.load()

    def whole() -> None:
        step = steps(data)[name]()
        step()
        step()

    return megabytes(whole)


if __name__ == '__main__':
    if len(sys.argv) > 1:
        print(json.dumps(two_steps(sys.argv[1])))
    else:
        torch.set_num_threads(1)
        print(json.dumps(run(), indent=2))
