r"""Time and memory: measures all figures of docs/speed.md.

    python benchmarks/speed                      # all, about half an hour
    python benchmarks/speed --only dense knn     # some; the others are kept

On one thread. Ratios are of figures measured in turn in the same run.
"""

import argparse
import json
import os
import warnings
from pathlib import Path

os.environ.setdefault('OMP_NUM_THREADS', '1')  # for subprocesses too
warnings.filterwarnings('ignore', message='Sparse CSR tensor support')

import candidates  # noqa: E402
import clusters  # noqa: E402
import curve  # noqa: E402
import dense  # noqa: E402
import knn  # noqa: E402
import measure  # noqa: E402
import pubmed  # noqa: E402
import scale  # noqa: E402
import torch  # noqa: E402
from tqdm import tqdm  # noqa: E402

PARTS = {
    'dense': dense,
    'candidates': candidates,
    'knn': knn,
    'scale': scale,
    'pubmed': pubmed,
    'clusters': clusters,
    'curve': curve,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--only', nargs='+', choices=PARTS, default=PARTS)
    parser.add_argument('--out', type=Path, default=Path('docs'))
    args = parser.parse_args()
    torch.set_num_threads(1)
    path = args.out / 'speed.json'
    results = json.loads(path.read_text()) if path.exists() else {}
    for name in tqdm(args.only, desc='parts'):
        results[name] = {'machine': measure.machine(), **wrap(PARTS[name])}
        path.write_text(json.dumps(results, indent=1) + '\n')
    if 'curve' in results:
        curve.draw(results['curve']['figures'], str(args.out / 'speed.png'))
    text = page(results)
    (args.out / 'speed.md').write_text(text)
    print(text)


def wrap(part) -> dict:
    return {'figures': part.run()}


def page(results: dict) -> str:
    figures = {name: part['figures'] for name, part in results.items()}
    lines = [
        '# Speed',
        '',
        'From `python benchmarks/speed`: processor time on one thread, the '
        'best of several runs that alternate, and peak memory in addition to '
        'the data. S = 3 graphs per step, two layers, 16 hidden units, Adam '
        'included; k = 20 neighbours.',
        '',
        '| measured | compared with | ratio | figures |',
        '| --- | --- | --- | --- |',
    ]
    lines += [f'| {" | ".join(row)} |' for row in rows(figures)]
    if 'candidates' in figures:
        lines += ['', '## Time of the parts of a step', '']
        lines += ['| part of the candidates step | share |', '| --- | --- |']
        shares = figures['candidates']['shares']
        lines += [f'| {k} | {100 * v:.0f} % |' for k, v in shares.items()]
    if 'scale' in figures:
        lines += ['', '## From ten thousand to a million nodes', '']
        lines += scale.table(figures['scale'])
    if 'curve' in figures:
        lines += [
            '',
            '## Accuracy against seconds',
            '',
            '![Test accuracy against seconds of training](speed.png)',
            '',
            'Citeseer without its graph, the smoothed prior on a kNN graph, '
            'the same learning rates; the figures are in `speed.json`.',
        ]
    return '\n'.join(lines) + '\n'


def rows(figures: dict) -> list[tuple[str, ...]]:
    out = []
    if 'dense' in figures:
        part = figures['dense']
        second, peak = part['seconds'], part['peak MB']
        a, b = second['ours'], second['straightforward']
        difference = part['gradients differ by']
        out.append(
            (
                'all-pairs step, Citeseer',
                'straightforward PyTorch (torch.distributions, DenseGCNConv)',
                f'{b / a:.1f} × faster',
                f'{a:.2f} s, {b:.2f} s; gradients differ by '
                f'{difference:.0e} at most',
            )
        )
        a, b = peak['ours'], peak['straightforward']
        out.append(
            (
                'its peak memory',
                'the same',
                f'1/{b / a:.1f}',
                f'{a:.0f} MB, {b:.0f} MB',
            )
        )
    if 'candidates' in figures:
        second = figures['candidates']['seconds']
        promised = 'dense x inside `learner.unchanged(x)`, as in `fit`'
        unpromised = 'dense x of which nothing is promised'
        messages = (
            "the same model through PyG's message passing "
            '(`GCNConv(edge_weight)`)'
        )
        bare = 'one step of a bare `torch_geometric.nn.GCN`, same graph'
        a = second['ours, dense x unchanged']
        b = second['ours, all pairs']
        out.append(
            (
                'candidates + background step, Citeseer',
                'our all-pairs step',
                f'{b / a:.0f} × faster',
                f'{1e3 * a:.0f} ms, {1e3 * b:.0f} ms',
            )
        )
        for name, ours, x in (
            (promised, 'ours, dense x unchanged', 'dense x'),
            (unpromised, 'ours, dense x', 'dense x'),
            ('sparse x', 'ours, sparse x', 'sparse x'),
        ):
            a, step = second[ours], f'candidates step, {name}'
            b, c = second[f'along messages, {x}'], second[f'bare GCN, {x}']
            times = f'{b / a:.1f} × faster', f'{a / c:.2f} of its cost'
            for other, ratio, t in (
                (messages, times[0], b),
                (bare, times[1], c),
            ):
                figures_of = f'{1e3 * a:.0f} ms, {1e3 * t:.0f} ms'
                out.append((step, other, ratio, figures_of))
    if 'knn' in figures:
        out += knn.table_rows(figures['knn'])
    if 'scale' in figures:
        out += scale.table_rows(figures['scale'])
    if 'pubmed' in figures:
        part = figures['pubmed']
        out.append(
            (
                f'Pubmed in one batch, {part["pairs"]:,} candidates',
                '',
                f'{part["peak MB"]:.0f} MB',
                f'{part["seconds"]:.2f} s per step',
            )
        )
    if 'clusters' in figures:
        out += clusters.table_rows(figures['clusters'])
    return out


if __name__ == '__main__':
    main()
