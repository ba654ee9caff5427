r"""Test accuracy against seconds of training on Citeseer without its graph:
ours with candidates, ours with all pairs, and the straightforward model.
"""

import json
import time
from collections.abc import Callable

import citeseer
import torch
from torch import Tensor
from torch_geometric.data import Data
from tqdm import tqdm

BUDGET = {'candidates': 20.0, 'all pairs': 90.0, 'straightforward': 240.0}


def curve(
    step: Callable[[], object],
    predict: Callable[[], Tensor],
    data: Data,
    budget: float,
    name: str,
) -> list[tuple[float, float]]:
    r"""Trains for some seconds, not counting the evaluation on test nodes."""
    points, spent, steps = [], 0.0, 0
    with tqdm(total=round(budget), desc=name, leave=False) as bar:
        while spent < budget:
            start = time.process_time()
            step()
            spent += time.process_time() - start
            steps += 1
            # About thirty points, closer together at the beginning:
            if not points or spent > 1.25 * points[-1][0]:
                hit = predict().argmax(dim=-1) == data.y
                accuracy = float(hit[data.test_mask].float().mean())
                points.append((spent, accuracy))
            bar.update(min(round(spent), round(budget)) - bar.n)
    return points


def run(budget: dict[str, float] = BUDGET) -> dict:
    data = citeseer.load()
    curves = {}
    for name, dense in (('candidates', False), ('all pairs', True)):
        model = citeseer.learner(data, dense)
        curves[name] = curve(
            citeseer.our_step(model, data, data.x),
            lambda model=model: model.predict(data.x, num_samples=3),
            data,
            budget[name],
            name,
        )
    model = citeseer.straightforward(data)

    def predict() -> Tensor:
        model.eval()
        with torch.no_grad():
            prob = model.predict(data.x, num_samples=3)
        model.train()
        return prob

    name = 'straightforward'
    step = citeseer.straightforward_step(model, data)
    curves[name] = curve(step, predict, data, budget[name], name)
    return curves


def draw(curves: dict, path: str) -> None:
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    labels = {
        'candidates': 'ours, candidates',
        'all pairs': 'ours, all pairs',
        'straightforward': 'straightforward, all pairs',
    }
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout='constrained')
    for (name, points), style in zip(
        curves.items(), ('-o', '-s', '-^'), strict=True
    ):
        second, accuracy = zip(*points, strict=True)
        axes.plot(
            second,
            [100 * a for a in accuracy],
            style,
            markersize=3,
            label=labels[name],
        )
    axes.set_xscale('log')
    axes.set_xlabel('seconds of training (one core)')
    axes.set_ylabel('test accuracy (%)')
    figure.suptitle('Citeseer without its graph', fontsize=10)
    axes.grid(alpha=0.3)
    axes.spines[['top', 'right']].set_visible(False)
    axes.legend(
        frameon=False,
        loc='lower center',
        bbox_to_anchor=(0.5, 1.0),
        ncols=3,
        fontsize=9,
    )
    figure.savefig(path, dpi=160)


if __name__ == '__main__':
    torch.set_num_threads(1)
    print(json.dumps(run()))
