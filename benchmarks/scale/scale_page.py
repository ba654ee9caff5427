r"""The page of what was measured with partitioned graphs."""

from typing import Any

from markdown_table import table

Run = dict[str, Any]
MEGABYTE = 2**20
#: The number of sampled graphs of a step.
SAMPLES = 3


def kind(run: Run) -> tuple[bool, int, int]:
    r"""What is measured once: with one shard, or the nodes and processes."""
    first = run['processes'][0]
    return run['shards'] == 1, first['nodes'], first['world']


def page(runs: list[Run]) -> str:
    r"""All tables, in Markdown."""
    several = [run for run in runs if run['shards'] > 1]
    one = [run for run in runs if run['shards'] == 1]
    text = [
        '# Partitioned graphs',
        'From `python benchmarks/scale`: a block model with communities of a '
        'thousand nodes, twenty candidates per node, a tenth of which lead to '
        'random nodes; 32 features, a GCN of two layers with 16 hidden units, '
        'three graphs per step; one thread per process. The first epoch.',
        '## One, two and four processes',
        'Memory is the peak of a process above that of Python with all '
        'packages loaded, before any graph is opened. Seconds are processor '
        'time per process. *Guests* and *network* are what a process sends '
        'by its own count; *wire* is what went over the loopback interface, '
        'of all processes together, headers included.',
        table(
            [
                'nodes', 'candidates', 'W', 'clusters per batch', 'base MB',
                'peak MB above base', 'of W = 1', 'train, s', 'validate, s',
                'MB guests', 'MB network', 'MB wire, all', 'loss',
            ],
            [_process_row(run, several) for run in several],
        ),
        '## Cost per candidate',
        'One process, one shard, one batch after another.',
        table(
            ['nodes', 'candidates', 'ns per candidate and graph, to train'],
            [_size_row(run) for run in one],
        ),
    ]  # fmt: skip
    return '\n\n'.join(text) + '\n'


def _process_row(run: Run, runs: list[Run]) -> list[str]:
    every = run['processes']
    first = every[0]
    epochs = [each['epochs'][0] for each in every]
    alone = [
        above(other)
        for other in runs
        if other['processes'][0]['nodes'] == first['nodes']
        and other['processes'][0]['world'] == 1
    ]
    share = f'{above(run) / alone[0]:.2f}' if alone else ''
    return [
        f'{first["nodes"]:,}',
        f'{first["pairs"]:,}',
        str(first['world']),
        str(run['batch size']),
        f'{first["base MB"]:.0f}',
        _range([each['peak MB'] - each['base MB'] for each in every], 0),
        share,
        _range([epoch['train cpu'] for epoch in epochs], 1),
        _range([epoch['validate cpu'] for epoch in epochs], 1),
        _range([epoch['sent'] / MEGABYTE for epoch in epochs], 1),
        f'{first["network"] / MEGABYTE:.2f}',
        f'{epochs[0]["wire"] / MEGABYTE:.1f}',
        f'{epochs[0]["loss"]:.6f}',
    ]


def _size_row(run: Run) -> list[str]:
    first = run['processes'][0]
    best = min(epoch['train cpu'] for epoch in first['epochs'])
    cost = 1e9 * best / first['pairs'] / SAMPLES
    return [f'{first["nodes"]:,}', f'{first["pairs"]:,}', f'{cost:.0f}']


def above(run: Run) -> float:
    r"""The greatest peak of a process, in MB above its base."""
    return max(each['peak MB'] - each['base MB'] for each in run['processes'])


def _range(values: list[float], digits: int) -> str:
    low, high = (f'{value:.{digits}f}' for value in (min(values), max(values)))
    return low if low == high else f'{low}–{high}'
