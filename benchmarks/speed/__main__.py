r"""Time and memory: measures all figures of docs/speed.md.

    python benchmarks/speed                      # all, a quarter of an hour
    python benchmarks/speed --only dense         # some; the others are kept
    python benchmarks/speed --page               # none: the page alone

On one thread. Ratios are of figures measured in turn in the same run.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from tqdm import tqdm

from benchmarks.harness.results import table, write_page
from benchmarks.speed import candidates, dense, scale

PARTS = {'dense': dense, 'candidates': candidates, 'scale': scale}
HOW = (
    'From `python benchmarks/speed`: processor time on one thread, the best '
    'of several runs that alternate, and peak memory in addition to the data. '
    'S = 3 graphs per step, two layers, 16 hidden units, Adam included; k = '
    '20 neighbours.'
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--only', nargs='+', choices=PARTS, default=PARTS)
    parser.add_argument('--page', action='store_true', help='measure nothing')
    parser.add_argument('--out', type=Path, default=Path('docs'))
    args = parser.parse_args()
    torch.set_num_threads(1)
    path = args.out / 'speed.json'
    results = json.loads(path.read_text()) if path.exists() else {}
    for name in [] if args.page else tqdm(args.only, desc='parts'):
        machine = {'torch': torch.__version__, 'threads': 1}
        figures = PARTS[name].run()
        results[name] = {'machine': machine, 'figures': figures}
        path.write_text(json.dumps(results, indent=1) + '\n')
    found = {
        name: results[name]['figures'] for name in PARTS if name in results
    }
    head = ['measured', 'compared with', 'ratio', 'figures']
    lines = [row for name in found for row in PARTS[name].rows(found[name])]
    sizes = scale.sizes(found['scale']) if 'scale' in found else ''
    write_page(args.out, 'speed', ['# Speed', HOW, table(head, lines), sizes])


if __name__ == '__main__':
    main()
